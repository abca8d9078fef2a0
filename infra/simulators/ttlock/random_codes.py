"""Algorithmic passcodes: cloud and lock compute them alike, so that no gateway is needed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from infra.simulators.ttlock.verdict import Reason, judge
from infra.simulators.ttlock.window import DAY_MS, HOUR_MS, Window

ONCE, PERMANENT, PERIOD, ERASE = 1, 2, 3, 4
SHORTEST, LONGEST = 6, 9
MOST_PER_START: Mapping[int, int] = {ONCE: 200, PERMANENT: 20, ERASE: 1}
"""How many different codes one start gives; every other kind has one per start and end."""
DIES_UNUSED = {PERMANENT, PERIOD}
ONCE_MS = 6 * HOUR_MS
EVERY_DAY = frozenset(range(7))
WEEKDAYS: Mapping[int, frozenset[int]] = {
    5: frozenset({5, 6}),
    6: EVERY_DAY,
    7: frozenset(range(5)),
    **{kind: frozenset({kind - 8}) for kind in range(8, 15)},
}
"""The days on which a cyclic kind is good, Monday being 0."""
KINDS = {ONCE, PERMANENT, PERIOD, ERASE, *WEEKDAYS}


@dataclass(slots=True)
class RandomCode:
    """What a lock makes of one algorithmic code."""

    kind: int
    window: Window
    offset_ms: int
    code: str = field(repr=False)
    used: bool = False
    deleted: bool = False

    def verdict(self, lock_ms: int) -> Reason:
        """Return whether the lock honours it at its own time."""
        if self.deleted:
            return Reason.DELETED
        if self.kind == ONCE and self.used:
            return Reason.USED_UP
        reason = judge(self._enforced(), lock_ms)
        if reason is not Reason.OPEN:
            return reason
        if self.kind in DIES_UNUSED and not self.used and lock_ms >= self.window.start + DAY_MS:
            return Reason.NOT_USED_IN_TIME
        return Reason.OPEN if self._in_hours(lock_ms) else Reason.OUTSIDE_HOURS

    def _enforced(self) -> Window:
        start = self.window.start
        if self.kind == ONCE:
            return Window(start, start + ONCE_MS)
        return self.window if self.kind == PERIOD else Window(start, 0)

    def _in_hours(self, lock_ms: int) -> bool:
        if self.kind not in WEEKDAYS:
            return True
        local = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=lock_ms + self.offset_ms)
        first, last = self._time_of_day(self.window.start), self._time_of_day(self.window.end)
        return local.weekday() in WEEKDAYS[self.kind] and first <= self._time_of_day(lock_ms) < last

    def _time_of_day(self, instant_ms: int) -> int:
        return (instant_ms + self.offset_ms) % DAY_MS


def computed(secret: str, kind: int, window: Window, turn: int) -> str:
    """Return the digits that this lock's algorithm gives: six to nine of them."""
    digest = sha256(f"{secret}|{kind}|{window.start}|{window.end}|{turn}".encode()).digest()
    length = SHORTEST + digest[0] % (LONGEST - SHORTEST + 1)
    return str(int.from_bytes(digest[1:9]) % 10**length).zfill(length)
