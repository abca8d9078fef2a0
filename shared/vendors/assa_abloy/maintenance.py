"""An environment's maintenance, as its vendor publishes it: nobody is asked then, and work waits for its end.

A window is known before it begins, and so no attempt is spent on it. One that was not published is read when
the vendor refuses because of it. What cannot be read is taken for none: the next call will tell.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from shared.ports.ambient import Clock
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.grids import Bounds
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import SILENCE, VendorRefused
from shared.vendors.assa_abloy.vostio import list_maintenance

KNOWN_FOR: Final = timedelta(minutes=30)
UNPUBLISHED: Final = timedelta(minutes=5)
"""For how long a vendor is left alone that is in maintenance, nobody says until when."""


class Maintenance:
    """What is known of one environment's maintenance."""

    def __init__(self, api: VendorApi, clock: Clock) -> None:
        self._api, self._clock = api, clock
        self._windows: Sequence[Bounds] = ()
        self._known_until: datetime | None = None

    async def going_on(self) -> bool:
        """Say whether the environment is down now, as far as anybody has said."""
        now = self._clock.now()
        if self._known_until is None or now >= self._known_until:
            self._known_until = now + KNOWN_FOR
            with suppress(VendorRefused, *SILENCE):
                self._windows = await self._api.ask_openly(list_maintenance(), Urgency.POLL)
        return self._current() is not None

    def doubt(self) -> None:
        """Read again what is published: the vendor is in a maintenance that nobody knew of."""
        self._known_until = None

    def lasts(self) -> timedelta:
        """Return for how long it will last."""
        current = self._current()
        return UNPUBLISHED if current is None else current.end - self._clock.now()

    def _current(self) -> Bounds | None:
        now = self._clock.now()
        return next((each for each in self._windows if each.start <= now < each.end), None)
