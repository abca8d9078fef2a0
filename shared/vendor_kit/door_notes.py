"""What is noted of doors that hear of no key: whose keys count no more, and which key may yet be made there.

A request that nobody heard the answer of may take effect for a while, and a key that is made late ends those
that were made meanwhile. Until then no other key is made at its door; the same may be asked for again.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Self

from shared.domain.instants import instant_from_text, instant_to_text
from shared.ports.ambient import Clock
from shared.ports.documents import (
    AlreadyExists,
    Create,
    Delete,
    Document,
    Ref,
    StaleVersion,
    TenantDocuments,
    Update,
)
from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.departures import Departures
from shared.vendor_kit.key_sync import UNHEARD
from shared.vendor_kit.turns import TurnNotCome

COLLECTION: Final = "keys_under_way"
SCHEMA_VERSION: Final = 1
LANDS_WITHIN: Final = timedelta(seconds=150)
"""So long the ledger takes a call for under way: it has had its effect by then, or never will."""


class KeysUnderWay:
    """One property's notes at one vendor of the key that is being made at each door."""

    def __init__(self, documents: TenantDocuments, clock: Clock, place: str) -> None:
        self._documents, self._clock, self._of = documents, clock, place

    @asynccontextmanager
    async def making(self, door: str, wish: str) -> AsyncIterator[None]:
        """Note what is made inside, until its end is heard; wait in line while another may yet be made.

        An answer to this request says nothing of an earlier one of the same wish that nobody heard of.
        """
        ref = Ref(COLLECTION, f"{self._of}-{door}")
        try:
            version = await self._noted(ref, wish)
        except (AlreadyExists, StaleVersion):
            raise TurnNotCome(f"another key is made at {ref.id}") from None
        try:
            yield
        except UNHEARD:
            raise
        except Exception:
            await self._heard(ref, version)
            raise
        await self._heard(ref, version)

    async def _noted(self, ref: Ref, wish: str) -> str | None:
        """Note a wish, and return what takes the note away; nothing, where one of before is to stay."""
        until = self._clock.now() + LANDS_WITHIN
        data = {"schema_version": SCHEMA_VERSION, "wish": wish, "until": instant_to_text(until)}
        try:
            return (await self._documents.commit([Create(ref, data, until)]))[0]
        except AlreadyExists:
            found = await self._documents.get(ref)
            if found is None:
                raise
        left = self._left(found)
        if left > timedelta(0) and found.data["wish"] != wish:
            raise TurnNotCome(f"a key may yet be made at {ref.id}", left.total_seconds())
        (version,) = await self._documents.commit([Update(ref, data, found.version, until)])
        return None if left > timedelta(0) else version

    async def _heard(self, ref: Ref, version: str | None) -> None:
        if version is None:
            return
        with suppress(StaleVersion):  # whoever has written over it knows better
            await self._documents.commit([Delete(ref, version)])

    def _left(self, found: Document) -> timedelta:
        return instant_from_text(found.data["until"], "until") - self._clock.now()


@dataclass(frozen=True, slots=True)
class DoorNotes:
    """One property's notes at one vendor."""

    departures: Departures
    under_way: KeysUnderWay

    @classmethod
    def of(cls, binding: Binding, ports: AdapterPorts) -> Self:
        """Return a property's notes."""
        documents, vendor, hotel = ports.documents.tenant(binding.tenant), binding.vendor, binding.property.id
        under_way = KeysUnderWay(documents, ports.clock, f"{vendor}-{hotel}")
        return cls(Departures(documents, vendor, hotel), under_way)
