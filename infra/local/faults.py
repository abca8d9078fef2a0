"""Named boundaries that tests can crash at or hear of; in service they do nothing."""

import os
import signal
from collections import Counter
from typing import Protocol


class Faults(Protocol):
    """Hears of each boundary as it is reached."""

    def reach(self, boundary: str) -> None:
        """Take note of a boundary; may not return."""


class NoFaults:
    """The faults of a fleet in service: none."""

    def reach(self, boundary: str) -> None:
        """Do nothing."""


class CrashAt:
    """Kill this process, without warning, the nth time a boundary is reached."""

    def __init__(self, boundary: str, nth: int) -> None:
        self._boundary, self._left = boundary, nth

    def reach(self, boundary: str) -> None:
        """Count down, then kill -9 ourselves."""
        if boundary != self._boundary:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class Census:
    """Counts how often each boundary is reached, so that a test can visit every one."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    def reach(self, boundary: str) -> None:
        """Count it."""
        self.seen[boundary] += 1


def crash_from_text(text: str | None) -> Faults:
    """Read `boundary#n` (as the environment carries it) into faults; nothing means none."""
    if not text:
        return NoFaults()
    boundary, _, nth = text.rpartition("#")
    return CrashAt(boundary, int(nth))
