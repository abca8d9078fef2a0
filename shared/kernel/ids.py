"""New names, from a clock and from chance that is drawn a good deal at a time."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from shared.domain.ids import MonotonicUlids

DRAWN_AT_ONCE: Final = 1024
"""Bytes. Each draw asks the system, and one key takes several names, which are no secrets."""


class DrawnIds:
    """ULIDs that only ever grow."""

    def __init__(self, now: Callable[[], datetime], draw: Callable[[int], bytes]) -> None:
        self._draw, self._drawn = draw, b""
        self._next = MonotonicUlids(lambda: int(now().timestamp() * 1000), self._bits)

    def ulid(self) -> str:
        """Return the next."""
        return self._next()

    def _bits(self, bits: int) -> int:
        size = bits // 8
        if len(self._drawn) < size:
            self._drawn = self._draw(DRAWN_AT_ONCE)
        taken, self._drawn = self._drawn[:size], self._drawn[size:]
        return int.from_bytes(taken)
