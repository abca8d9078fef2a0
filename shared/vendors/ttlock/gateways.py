"""Whose turn to take at a lock: the vendor is asked for its gateway once in a while, and then it is known.
from shared.vendors.ttlock.capabilities import TTLOCK

The vendor speaks to a lock through the gateway that hears it best, and a gateway does one thing at a time.
Whoever asks for one lock also learns of the others around its gateway: the next room costs no call.
"""

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final

from shared.ports.ambient import Clock
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import SILENCE, VendorRefused
from shared.vendor_kit.relay_notes import Reach, Reaches, RelayNotes, latest
from shared.vendors.ttlock import inventory
from shared.vendors.ttlock.capabilities import TTLOCK
from shared.vendors.ttlock.inventory import Near

ASKED_AGAIN_AFTER: Final = timedelta(minutes=15)
"""No lock is asked about more often, whatever goes wrong at it."""


class Gateways:
    """One property's locks, and the gateways they are spoken to through."""

    def __init__(self, api: VendorApi, notes: RelayNotes, property_id: str, clock: Clock) -> None:
        self._api, self._notes, self._clock = api, notes, clock
        self._whole = f"gateway:{TTLOCK}:{property_id}"
        self._known: dict[str, Reach] = {}
        self._doubted: set[str] = set()
        self._asked_at: dict[str, datetime] = {}
        self._asking = asyncio.Lock()

    async def turn_at(self, lock: str, urgency: Urgency) -> str:
        """Return the name of the turn to take; of a lock nobody tells about, the whole property's."""
        if not self._sure(lock):
            async with self._asking:
                await self._make_sure(lock, urgency)
        reach = self._known.get(lock)
        if reach is None:
            return self._whole
        # A lock without a gateway has a radio of its own, or none: it is in nobody's way.
        return f"gateway:{TTLOCK}:{reach.relay or f'lock-{lock}'}"

    def doubt(self, lock: str) -> None:
        """Believe no longer what is known of a lock: the vendor found no gateway there, or a busy one."""
        self._doubted.add(lock)

    async def note(self, told: Reaches) -> None:
        """Take in what the vendor told of some locks."""
        self._believe(told)
        await self._notes.keep(told)

    def _sure(self, lock: str) -> bool:
        reach = self._known.get(lock)
        if reach is None:
            return False
        return self._clock.now() - reach.told_at < (
            ASKED_AGAIN_AFTER if lock in self._doubted else reach.lasts
        )

    async def _make_sure(self, lock: str, urgency: Urgency) -> None:
        """Look at the notes, which another instance may have renewed, and only then ask."""
        if not self._sure(lock):
            self._believe(await self._notes.read())
        if not self._sure(lock) and self._may_ask(lock):
            self._asked_at[lock] = self._clock.now()
            # A lock that nobody tells about still gets its key.
            with suppress(VendorRefused, *SILENCE):
                await self.note(await self._told(lock, urgency))
        if self._sure(lock):
            self._doubted.discard(lock)

    def _may_ask(self, lock: str) -> bool:
        asked_at = self._asked_at.get(lock)
        return asked_at is None or self._clock.now() - asked_at >= ASKED_AGAIN_AFTER

    def _believe(self, told: Reaches) -> None:
        for lock, reach in told.items():
            if lock not in self._known or self._known[lock].told_at <= reach.told_at:
                self._known[lock] = reach
        self._known = latest(self._known)

    async def _told(self, lock: str, urgency: Urgency) -> Reaches:
        near = await self._api.ask(inventory.list_gateways_of_lock(lock), urgency)
        best = max(near, key=attrgetter("signal"), default=None)
        if best is None:
            return {lock: Reach(None, inventory.WEAKEST, self._clock.now())}
        reach = Reach(best.id, best.signal, self._clock.now())
        return {**await self._around(best.id, urgency), lock: reach}

    async def _around(self, gateway: str, urgency: Urgency) -> Reaches:
        """Return the locks that a gateway new to us hears, but for those that another hears better."""
        if any(reach.relay == gateway and self._sure(lock) for lock, reach in self._known.items()):
            return {}
        heard: tuple[Near, ...] = ()
        with suppress(VendorRefused, *SILENCE):
            heard = await self._api.ask(inventory.list_locks_of_gateway(gateway), urgency)
        reaches = {near.id: Reach(gateway, near.signal, self._clock.now()) for near in heard}
        return {lock: reach for lock, reach in reaches.items() if self._better(lock, reach)}

    def _better(self, lock: str, reach: Reach) -> bool:
        return not self._sure(lock) or reach.signal > self._known[lock].signal
