"""Which share of a hotel's keys is handed to a vendor's next build: it stands with each property."""

from dataclasses import replace

from shared.domain.documents import from_document, to_document
from shared.domain.kinds import VendorCode
from shared.domain.premises import NextBuild, Property
from shared.keywork.services import retry_on_conflict
from shared.ledger.canary import Canary
from shared.ledger.indexes import PROPERTIES
from shared.ledger.premises import change_hotel
from shared.ledger.reading import reading
from shared.ports.documents import Ref, TenantDocuments, Update
from shared.usecases.audit.questions import documents_of
from shared.usecases.canary.judge import STEPS


async def hand_over(record: Canary, store: TenantDocuments) -> None:
    """Hand the next build what its step says, at each hotel: whoever set one up anew left it out."""
    step = STEPS[record.step]
    async for found in documents_of(PROPERTIES, {}, store):
        mine = found.ref.id == record.pilot
        share = 0 if not (mine or step.everywhere) else step.share
        if mine and step.everywhere:
            share = max(each.share for each in STEPS)
        await _let_have(found.ref, record.vendor, share, record.turn, store)


async def hand_over_nothing(record: Canary, store: TenantDocuments) -> None:
    """Let the present build do everything again, at every hotel."""
    async for found in documents_of(PROPERTIES, {}, store):
        await _let_have(found.ref, record.vendor, 0, record.turn, store)


async def _let_have(ref: Ref, vendor: VendorCode, share: int, turn: int, store: TenantDocuments) -> None:
    async def change() -> None:
        found = await store.get(ref)
        if found is None:
            return
        with reading(found):
            hotel = from_document(Property, found.data)
        others = tuple(each for each in hotel.next_builds if each.vendor != vendor)
        builds = (*others, NextBuild(vendor, share, turn)) if share else others
        if builds == hotel.next_builds:
            return
        kept = {name: each for name, each in found.data.items() if name != "next_builds"}
        changed = {**kept, **to_document(replace(hotel, next_builds=builds))}
        await change_hotel(store, ref.id, [Update(ref, changed, found.version)])

    await retry_on_conflict(change)
