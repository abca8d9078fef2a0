"""Four times a day a property's locks are looked at, and each night its doors are asked who tried them.

Each hour the keys are read back whose guests come in 72, 24 or 2 hours.

By the hotel's clock, as nights are: a vendor counts calls, and what matters between two looks its webhooks
tell. A night that was missed, by a fleet that was down, is made good in the next hour. Many hotels are gone
round as `upkeep/go_round.py` says; a hotel's hour is that of the round, whenever the round comes to it.
"""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.ids import PropertyId, TenantId
from shared.domain.window import zone_named
from shared.keywork.services import Services
from shared.ledger.hearing import hearing_of
from shared.ledger.site import site_of
from shared.ports.documents import DocumentStore
from shared.usecases.attempts.begin_hearing import LOOK, READ_BACK, HearDoors, begin_hearing
from shared.usecases.devices.read_back import arriving
from shared.usecases.upkeep.go_round import Visitor, go_round

LOOK_HOURS: Final = (1, 7, 13, 19)
POLL_HOUR: Final = 2
"""Another hour than that of a look, and of the comparison: a round begins one execution a house."""
MISSED_AFTER: Final = timedelta(hours=30)
ROUND: Final = "listen-due"
MINUTE: Final = 37


async def listen_due(documents: DocumentStore, cell: str, services: Services) -> dict[str, Any]:
    """Begin what is due at the hotels of this hour's round; one hotel stops no other."""
    begun = Counter({"looks": 0, "polls": 0, "readings": 0})

    async def visit(tenant: TenantId, hotel: PropertyId, at: datetime) -> int:
        here = await _begun_at(tenant, hotel, at, services)
        begun.update(here)
        return here.total()

    complaint = "a hotel's locks could not be looked at"
    visitor = Visitor(ROUND, MINUTE, complaint, services.hotels.admit, visit)
    return {**await go_round(visitor, documents, cell, services), **begun}


async def _begun_at(tenant: TenantId, hotel: PropertyId, at: datetime, services: Services) -> Counter[str]:
    setup = await services.hotels.premises(tenant, hotel)
    hour, begun = at.astimezone(zone_named(setup.property.zone)).hour, Counter[str]()
    for vendor in sorted({device.vendor for device in setup.devices}):
        begun += await _begun(HearDoors(tenant, hotel, vendor), hour, services)
    return begun


async def _begun(command: HearDoors, hour: int, services: Services) -> Counter[str]:
    """Begin what is due at a site; return what that was."""
    if looks := hour in LOOK_HOURS:
        await begin_hearing(command, services.sagas, LOOK)
    site, store = site_of(command.property_id, command.vendor), services.hotels.admitted(command.tenant)
    polled = (await hearing_of(site, store)).polled_at
    missed = polled is not None and services.now >= polled + MISSED_AFTER
    if polls := hour == POLL_HOUR or missed:
        await begin_hearing(replace(command, poll=True), services.sagas)
    if reads := await _arriving(command, site, services):
        await begin_hearing(command, services.sagas, READ_BACK)
    return Counter({"looks": looks, "polls": polls, "readings": reads})


async def _arriving(command: HearDoors, site: str, services: Services) -> bool:
    """Say whether a key's arrival came within 72, 24 or 2 hours since keys were read back last."""
    store = services.hotels.admitted(command.tenant)
    hearing = await hearing_of(site, store)
    async for _ in arriving(command.property_id, hearing, store, services.now):
        return True
    return False
