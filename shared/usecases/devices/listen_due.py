"""Four times a day a property's locks are looked at, and each night its doors are asked who tried them.

Each hour the keys are read back whose guests come in 72, 24 or 2 hours.

By the hotel's clock, as nights are: a vendor counts calls, and what matters between two looks its webhooks
tell. A night that was missed, by a fleet that was down, is made good in the next hour.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from shared.domain.ids import PropertyId, TenantId
from shared.domain.window import zone_named
from shared.keywork.services import Services
from shared.ledger.hearing import hearing_of
from shared.ledger.indexes import PROPERTIES, TENANTS
from shared.ledger.site import site_of
from shared.ports.documents import DocumentStore
from shared.usecases.attempts.begin_hearing import LOOK, READ_BACK, HearDoors, begin_hearing
from shared.usecases.devices.read_back import arriving

LOOK_HOURS: Final = (1, 7, 13, 19)
POLL_HOUR: Final = 1
MISSED_AFTER: Final = timedelta(hours=30)
PAGE: Final = 500
MOST_TENANTS: Final = 1000
BEYOND: Final = "tnt_~"
"""After every tenant's id."""


async def listen_due(documents: DocumentStore, cell: str, services: Services) -> dict[str, Any]:
    """Begin what is due; one hotel stops no other."""
    looks = polls = failed = 0
    async for tenant, hotel in _hotels(documents, cell, services):
        try:
            setup = await services.hotels.premises(tenant, hotel)
            for vendor in sorted({device.vendor for device in setup.devices}):
                hour = services.now.astimezone(zone_named(setup.property.zone)).hour
                looked, polled = await _begun(HearDoors(tenant, hotel, vendor), hour, services)
                looks, polls = looks + looked, polls + polled
        except Exception as error:  # noqa: BLE001 - told by place; the others are looked at all the same
            failed += 1
            services.log.failure(
                "a hotel's locks could not be looked at", error, tenant=tenant, property=hotel
            )
    return {"looks": looks, "polls": polls, "failed": failed}


async def _begun(command: HearDoors, hour: int, services: Services) -> tuple[bool, bool]:
    """Begin what is due at a site; return whether that was a look, and a hearing."""
    if looks := hour in LOOK_HOURS:
        await begin_hearing(command, services.sagas, LOOK)
    site, store = site_of(command.property_id, command.vendor), services.hotels.admitted(command.tenant)
    polled = (await hearing_of(site, store)).polled_at
    missed = polled is not None and services.now >= polled + MISSED_AFTER
    if polls := hour == POLL_HOUR or missed:
        await begin_hearing(replace(command, poll=True), services.sagas)
    if await _arriving(command, site, services):
        await begin_hearing(command, services.sagas, READ_BACK)
    return looks, polls


async def _arriving(command: HearDoors, site: str, services: Services) -> bool:
    """Say whether a key's arrival came within 72, 24 or 2 hours since keys were read back last."""
    store = services.hotels.admitted(command.tenant)
    hearing = await hearing_of(site, store)
    async for _ in arriving(command.property_id, hearing, store, services.now):
        return True
    return False


async def _hotels(
    documents: DocumentStore, cell: str, services: Services
) -> AsyncIterator[tuple[TenantId, PropertyId]]:
    found = await documents.sweep(TENANTS, {"data_residency": cell}, until=BEYOND, limit=MOST_TENANTS)
    for tenant, _ in found:
        store = await services.hotels.admit(tenant)
        page = await store.query(PROPERTIES, {}, limit=PAGE)
        while page:
            for each in page:
                yield tenant, PropertyId(each.ref.id)
            page = await store.query(PROPERTIES, {}, after=page[-1], limit=PAGE) if len(page) == PAGE else ()
