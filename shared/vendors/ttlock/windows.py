"""Windows of codes that TTLock computes: whole hours, used soon, and not for longer than a year."""

from datetime import datetime, timedelta
from typing import Final

from shared.ports.lock import LockKey
from shared.vendor_kit.grids import EPOCH, HOUR, Bounds, on_grid

TICK: Final = timedelta.resolution
USE_WITHIN: Final = timedelta(hours=24)
"""A computed passcode that was not used by then is dead."""
LONGEST: Final = timedelta(days=365)
"""Longer than this no passcode is computed."""


def in_hours(key: LockKey, now: datetime, offset: timedelta) -> Bounds:
    """Return the window of a computed key: whole hours on the lock's clock, and not long begun."""
    return on_grid(key, HOUR, begins=max(key.valid_from, now), offset=offset)


def in_some_hours(bounds: Bounds, key: LockKey, now: datetime) -> bool:
    """Say whether these are a key's bounds on a grid of whole hours, whichever clock the vendor goes by."""
    earliest = key.not_before or EPOCH
    latest = max(key.valid_from, earliest, now) + HOUR
    begins = max(key.valid_from - HOUR, earliest - TICK) < bounds.start < latest
    return begins and key.valid_until <= bounds.end < key.valid_until + HOUR


def may_be_computed(key: LockKey, now: datetime) -> bool:
    """Say whether a guest comes soon enough, and leaves soon enough, for a computed passcode."""
    return key.valid_from <= now + USE_WITHIN and key.valid_until - now <= LONGEST
