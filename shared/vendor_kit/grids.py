"""Windows on a vendor's grid: as fine as it keeps time, and never into another guest's stay."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Self

from shared.domain.kinds import WINDOW_ROUNDED, KeyWarning
from shared.ports.lock import LockKey

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
MILLISECOND: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Bounds:
    """From when to when a key opens, at the vendor."""

    start: datetime
    end: datetime

    @classmethod
    def of_ms(cls, start: int, end: int) -> Self:
        """Read epoch milliseconds."""
        return cls(EPOCH + start * MILLISECOND, EPOCH + end * MILLISECOND)

    @property
    def start_ms(self) -> int:
        """The start, in epoch milliseconds."""
        return (self.start - EPOCH) // MILLISECOND

    @property
    def end_ms(self) -> int:
        """The end, in epoch milliseconds."""
        return (self.end - EPOCH) // MILLISECOND

    def empty(self, at: datetime) -> bool:
        """Say whether such a key would never open from now on."""
        return self.end <= max(self.start, at)

    def ending_by(self, latest: datetime | None, step: timedelta) -> "Bounds":
        """Return these, whole steps shorter, ending by then: too early does less harm than late."""
        over = timedelta(0) if latest is None else max(timedelta(0), self.end - latest)
        return Bounds(self.start, self.end - step * math.ceil(over / step))

    def warnings(self, key: LockKey) -> tuple[KeyWarning, ...]:
        """Say so if these are not the bounds that were wanted."""
        if (self.start, self.end) == (key.valid_from, key.valid_until):
            return ()
        return (KeyWarning(WINDOW_ROUNDED, f"opens from {self.start:%F %H:%M} to {self.end:%F %H:%M} UTC"),)


def on_grid(
    key: LockKey, step: timedelta, *, begins: datetime | None = None, offset: timedelta = timedelta(0)
) -> Bounds:
    """Return a key's window in whole steps of a clock so far ahead of UTC; it may begin later than asked."""
    # Down at the start, up at the end: the guest loses no time. But never into the previous guest's stay.
    earliest = key.not_before or EPOCH
    begin = _down(max(begins or key.valid_from, earliest), step, offset)
    begin = begin if begin >= earliest else begin + step
    return Bounds(begin, _up(key.valid_until, step, offset))


def in_minutes(key: LockKey) -> Bounds:
    """Return a key's window in whole minutes, which most locks keep; it ends before the next guest's."""
    return on_grid(key, MINUTE).ending_by(key.not_after, MINUTE)


def _down(instant: datetime, step: timedelta, offset: timedelta) -> datetime:
    return instant - (instant - EPOCH + offset) % step


def _up(instant: datetime, step: timedelta, offset: timedelta) -> datetime:
    return instant + -(instant - EPOCH + offset) % step
