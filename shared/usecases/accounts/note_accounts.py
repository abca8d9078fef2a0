"""Accounts of which nothing was kept yet are noted: from then on their ninety days are counted.

They follow from the locks: a property has an account at each vendor of which it has a lock. Nothing here
reads a secret, so how old an account is nobody knows who did not rotate it: the day of its note counts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import VendorCode
from shared.ledger.account_rotation import find_rotation, first_seen
from shared.ledger.indexes import DEVICES, PROPERTIES
from shared.ports.documents import AlreadyExists, Document, DocumentStore, TenantDocuments
from shared.usecases.audit.questions import documents_of
from shared.vendor_kit.registry import account_days

if TYPE_CHECKING:
    from shared.kernel.log import Log


async def note_all(
    tenants: Iterable[TenantId], documents: DocumentStore, now: datetime, log: "Log"
) -> dict[str, int]:
    """Note every tenant's accounts; a broken one keeps no other waiting."""
    noted = Counter({"noted": 0, "broken": 0})
    for tenant in tenants:
        try:
            noted["noted"] += await note_accounts(documents.tenant(tenant), now)
        except Exception as error:  # noqa: BLE001 - the next day looks again
            log.failure("a tenant's accounts could not be noted", error, tenant=tenant)
            noted["broken"] += 1
    return dict(noted)


async def note_accounts(store: TenantDocuments, now: datetime) -> int:
    """Note the accounts of one tenant that were not; return how many those were."""
    noted = 0
    async for hotel in documents_of(PROPERTIES, {}, store):
        place = PropertyId(hotel.ref.id)
        locks = [lock async for lock in documents_of(DEVICES, {"property_id": place}, store)]
        for vendor in sorted({*_vendors(locks)}):
            noted += await _noted(vendor, place, store, now)
    return noted


def _vendors(locks: list[Document]) -> Iterator[VendorCode]:
    said: Iterator[Any] = (lock.data.get("vendor") for lock in locks)
    return (VendorCode(str(vendor)) for vendor in said if account_days(VendorCode(str(vendor))) is not None)


async def _noted(vendor: VendorCode, place: PropertyId, store: TenantDocuments, now: datetime) -> bool:
    if await find_rotation(store, vendor, place) is not None:
        return False
    with suppress(AlreadyExists):  # two who note at once note the same
        await store.commit([first_seen(vendor, place, now).write()])
    return True
