"""Whose turn to take at a lock: the vendor is asked for its relay once in a while, and then it is known.

A vendor speaks to a lock through the relay that hears it best, and a relay does one thing at a time.
Whoever asks for one lock also learns of the others around its relay: the next room costs no call.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final

from shared.ports.ambient import Clock
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.asks import Ask
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import SILENCE, VendorRefused
from shared.vendor_kit.relay_notes import Reach, Reaches, RelayNotes, latest

ASKED_AGAIN_AFTER: Final = timedelta(minutes=15)
"""No lock is asked about more often, whatever goes wrong at it."""
WEAKEST: Final = -999
"""The signal of whoever is heard, nobody says how well."""


@dataclass(frozen=True, slots=True)
class Near:
    """A relay that hears a lock, or a lock that is heard by a relay, and how well."""

    id: str
    signal: int
    heard_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Hearers:
    """How a vendor is asked who hears whom: a lock's relays, and a relay's locks."""

    relays_of: Callable[[str], Ask[tuple[Near, ...]]]
    locks_of: Callable[[str], Ask[tuple[Near, ...]]]


class Relays:
    """One property's locks, and the relays they are spoken to through."""

    def __init__(self, api: VendorApi, notes: RelayNotes, hearers: Hearers, clock: Clock) -> None:
        self._api, self._notes, self._hearers, self._clock = api, notes, hearers, clock
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
            return f"gateway:{self._notes.vendor}:{self._notes.property_id}"
        # A lock without a relay has a radio of its own, or none: it is in nobody's way.
        return f"gateway:{self._notes.vendor}:{reach.relay or f'lock-{lock}'}"

    def doubt(self, lock: str) -> None:
        """Believe no longer what is known of a lock: the vendor found no relay there, or a busy one."""
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
        near = await self._api.ask(self._hearers.relays_of(lock), urgency)
        best = max(near, key=attrgetter("signal"), default=None)
        if best is None:
            return {lock: Reach(None, WEAKEST, self._clock.now())}
        reach = Reach(best.id, best.signal, self._clock.now())
        return {**await self._around(best.id, urgency), lock: reach}

    async def _around(self, relay: str, urgency: Urgency) -> Reaches:
        """Return the locks that a relay new to us hears, but for those that another hears better."""
        if any(reach.relay == relay and self._sure(lock) for lock, reach in self._known.items()):
            return {}
        heard: tuple[Near, ...] = ()
        with suppress(VendorRefused, *SILENCE):
            heard = await self._api.ask(self._hearers.locks_of(relay), urgency)
        reaches = {near.id: Reach(relay, near.signal, self._clock.now()) for near in heard}
        return {lock: reach for lock, reach in reaches.items() if self._better(lock, reach)}

    def _better(self, lock: str, reach: Reach) -> bool:
        return not self._sure(lock) or reach.signal > self._known[lock].signal
