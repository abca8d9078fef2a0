"""How locks are: what a wrong clock is worth saying, and when a battery is low."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from shared.domain.kinds import CLOCK_SKEW, KeyWarning
from shared.ports.ambient import Clock
from shared.ports.lock import Battery
from shared.vendor_kit.refusals import SILENCE, VendorRefused

CLOCK_SKEW_ALERT: Final = "CLOCK_SKEW_ALERT"
WARN_AT, ALERT_AT = timedelta(seconds=300), timedelta(seconds=600)
LOW_BATTERY: Final = 20
SKEW_KNOWN_FOR: Final = timedelta(hours=1)
SKEW_ASKED_AGAIN_AFTER: Final = timedelta(minutes=5)
"""A lock that did not say what time it is may be wrong for all we know."""
MOST_SKEWS: Final = 1024
"""Of more locks than this, those asked first are forgotten, and asked again."""


def skew_warnings(skew: timedelta | None) -> tuple[KeyWarning, ...]:
    """Say so when a lock's clock is wrong: windows open and close by it."""
    off = abs(skew or timedelta(0))
    if off <= WARN_AT:
        return ()
    detail = f"the lock's clock is {off.total_seconds() / 60:.0f} minutes off"
    codes = (CLOCK_SKEW, CLOCK_SKEW_ALERT) if off > ALERT_AT else (CLOCK_SKEW,)
    return tuple(KeyWarning(code, detail) for code in codes)


def battery(percent: int | None) -> Battery | None:
    """Return a battery as the ports have it, if the vendor tells of it."""
    return None if percent is None else Battery(percent, LOW_BATTERY)


class Skews:
    """What is known of locks' clocks; a lock that does not say has still got its key."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, tuple[datetime, timedelta | None]] = {}

    async def of(self, lock: str, ask: Callable[[], Awaitable[timedelta]] | None) -> timedelta | None:
        """Return how far a lock's clock is ahead, as was asked not long ago, or is now if it can be."""
        until, skew = self._known.get(lock, (None, None))
        if ask is not None and (until is None or self._clock.now() >= until):
            lasts = SKEW_ASKED_AGAIN_AFTER
            with suppress(VendorRefused, *SILENCE):
                skew = await ask()
                lasts = SKEW_KNOWN_FOR
            self._keep(lock, self._clock.now() + lasts, skew)
        return skew

    def behind(self, lock: str) -> timedelta:
        """Return by how much a lock's clock was slow when it was last asked, if it was."""
        _, skew = self._known.get(lock, (None, None))
        return max(timedelta(0), -(skew or timedelta(0)))

    def _keep(self, lock: str, until: datetime, skew: timedelta | None) -> None:
        self._known.pop(lock, None)
        self._known[lock] = (until, skew)
        if len(self._known) > MOST_SKEWS:
            del self._known[next(iter(self._known))]
