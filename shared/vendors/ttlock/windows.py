"""Windows on TTLock's grids: minutes for keys that are sent to the lock, whole hours for computed ones."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Self

from shared.domain.kinds import WINDOW_ROUNDED, KeyWarning
from shared.ports.lock import LockKey

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
TICK, MINUTE, HOUR = timedelta.resolution, timedelta(minutes=1), timedelta(hours=1)
USE_WITHIN: Final = timedelta(hours=24)
"""A computed passcode that was not used by then is dead."""
LONGEST: Final = timedelta(days=365)
"""Longer than this no passcode is computed."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """From when to when a key opens, at the vendor."""

    start: datetime
    end: datetime

    @classmethod
    def of_ms(cls, start: int, end: int) -> Self:
        """Read the vendor's milliseconds."""
        return cls(EPOCH + timedelta(milliseconds=start), EPOCH + timedelta(milliseconds=end))

    @property
    def start_ms(self) -> int:
        """The start, in the vendor's milliseconds."""
        return (self.start - EPOCH) // timedelta(milliseconds=1)

    @property
    def end_ms(self) -> int:
        """The end, in the vendor's milliseconds."""
        return (self.end - EPOCH) // timedelta(milliseconds=1)

    def empty(self, at: datetime) -> bool:
        """Say whether such a key would never open from now on."""
        return self.end <= max(self.start, at)

    def warnings(self, key: LockKey) -> tuple[KeyWarning, ...]:
        """Say so if these are not the bounds that were wanted."""
        if (self.start, self.end) == (key.valid_from, key.valid_until):
            return ()
        return (KeyWarning(WINDOW_ROUNDED, f"opens from {self.start:%F %H:%M} to {self.end:%F %H:%M} UTC"),)


def in_minutes(key: LockKey) -> Bounds:
    """Return the window of a key that is sent to its lock."""
    return _on_grid(key, key.valid_from, MINUTE, timedelta(0))


def in_hours(key: LockKey, now: datetime, offset: timedelta) -> Bounds:
    """Return the window of a computed key: whole hours on the lock's clock, and not long begun."""
    return _on_grid(key, max(key.valid_from, now), HOUR, offset)


def in_some_hours(bounds: Bounds, key: LockKey, now: datetime) -> bool:
    """Say whether these are a key's bounds on a grid of whole hours, whichever clock the vendor goes by."""
    earliest = key.not_before or EPOCH
    latest = max(key.valid_from, earliest, now) + HOUR
    begins = max(key.valid_from - HOUR, earliest - TICK) < bounds.start < latest
    return begins and key.valid_until <= bounds.end < key.valid_until + HOUR


def may_be_computed(key: LockKey, now: datetime) -> bool:
    """Say whether a guest comes soon enough, and leaves soon enough, for a computed passcode."""
    return key.valid_from <= now + USE_WITHIN and key.valid_until - now <= LONGEST


def _on_grid(key: LockKey, start: datetime, step: timedelta, offset: timedelta) -> Bounds:
    # Down at the start, up at the end: the guest loses no time. But never into the previous guest's stay.
    earliest = key.not_before or EPOCH
    begin = _down(max(start, earliest), step, offset)
    begin = begin if begin >= earliest else begin + step
    return Bounds(begin, _up(key.valid_until, step, offset))


def _down(instant: datetime, step: timedelta, offset: timedelta) -> datetime:
    return instant - (instant - EPOCH + offset) % step


def _up(instant: datetime, step: timedelta, offset: timedelta) -> datetime:
    return instant + -(instant - EPOCH + offset) % step
