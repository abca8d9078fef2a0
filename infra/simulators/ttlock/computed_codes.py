"""Codes that cloud and lock compute alike, without a gateway: algorithmic passcodes and QR codes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from infra.simulators.kit.windows import DAY_MS, HOUR_MS, MINUTE_MS, Reason, Window
from infra.simulators.ttlock.rows import QrCode

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
QR_PARTS = 6


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
        reason = self._enforced().judged(lock_ms)
        if reason is not Reason.OPEN:
            return reason
        if self.kind in DIES_UNUSED and not self.used and lock_ms >= self.window.start + DAY_MS:
            return Reason.NOT_USED_IN_TIME
        return Reason.OPEN if self._in_hours(lock_ms) else Reason.OUTSIDE_HOURS

    def shown(self, lock_ms: int) -> dict[str, Any]:
        """Return what the control plane shows of it at a time of the lock's own clock."""
        window = {"start": self.window.start, "end": self.window.end}
        return {
            "code": self.code,
            "source": "random",
            **window,
            "used": self.used,
            "now": self.verdict(lock_ms),
        }

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


def qr_content(secret: str, code: QrCode, now_ms: int) -> str:
    """Return what a QR code shows from now on: its window and a time, proven by a digest.

    It goes stale after the code's refresh time.
    """
    numbers = (code.number, code.window.start, code.window.end, now_ms, code.refresh_minutes)
    plain = ".".join(map(str, numbers))
    return f"{plain}.{_proof(secret, code.lock_id, plain)}"


def valid_qr(secret: str, lock_id: int, content: str, lock_ms: int) -> tuple[str, Reason]:
    """Return the number that a content claims, and whether this lock honours it at its own time."""
    plain, _, proof = content.rpartition(".")
    if content.count(".") != QR_PARTS - 1 or proof != _proof(secret, lock_id, plain):
        return "", Reason.UNKNOWN
    number, start, end, shown, minutes = map(int, plain.split("."))
    if lock_ms >= shown + minutes * MINUTE_MS:
        return str(number), Reason.EXPIRED
    return str(number), Window(start, end).judged(lock_ms)


def _proof(secret: str, lock_id: int, plain: str) -> str:
    return sha256(f"{secret}|{lock_id}|{plain}".encode()).hexdigest()[:16]
