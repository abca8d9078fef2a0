"""How quick the disk is, as the latest commits found it."""

from collections import deque
from statistics import median
from typing import Final

QUICK_SECONDS: Final = 0.0005
"""What it takes to hand a wait to a thread and to be told of its end, at the most."""
REMEMBERED: Final = 9
LOOK_EVERY: Final = 64


class Disk:
    """Says whether to wait for the disk here: while it is quick, and now and then to see whether it is."""

    def __init__(self) -> None:
        self._latest: deque[float] = deque([0.0], REMEMBERED)
        self._quick, self._asked = True, 0

    @property
    def quick(self) -> bool:
        """Whether the next commit had better be waited for where it is asked for."""
        self._asked += 1
        return self._quick or self._asked % LOOK_EVERY == 0

    def took(self, seconds: float) -> None:
        """Learn how long a commit took that was waited for."""
        self._latest.append(seconds)
        self._quick = median(self._latest) < QUICK_SECONDS
