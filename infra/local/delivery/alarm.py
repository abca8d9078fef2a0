"""One timer over many due times: nothing polls, and nothing costs anything until it is due."""

import asyncio
from collections.abc import Callable


class Alarm:
    """Rings once at the earliest time it was set to."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None

    def set(self, when: float) -> None:
        """Ring no later than `when`, in the loop's own time."""
        if self._timer is not None:
            if self._timer.when() <= when:
                return
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(when, self._due)

    def cancel(self) -> None:
        """Do not ring."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        self._timer = None
        self._ring()
