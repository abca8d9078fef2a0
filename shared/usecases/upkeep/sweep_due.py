"""The sweeper: every key whose time has come is tended, whoever's it is."""

import contextlib
from datetime import timedelta
from typing import Final

from shared.domain.ids import TenantId
from shared.domain.instants import milliseconds
from shared.keywork.services import Services
from shared.ledger.delays import STEP_LEASE
from shared.ledger.indexes import DUE
from shared.ledger.key_record import ref_of
from shared.ports.documents import DocumentStore, StaleVersion, Update
from shared.usecases.upkeep.tend_key import tend_if_due

AT_A_TIME: Final = 200
MOST_ROUNDS: Final = 50
LONGEST: Final = timedelta(minutes=4)
"""Less than the sweeper's own time, and more than the minute after which the next one sets out."""


async def sweep_due(documents: DocumentStore, services: Services) -> int:
    """Tend what is due, the longest overdue first, and return how many keys that were."""
    until, tended = services.now + LONGEST, 0
    for _ in range(MOST_ROUNDS):
        due = await documents.sweep(DUE, {}, until=milliseconds(services.now), limit=AT_A_TIME)
        tended += sum([await _tended(tenant, credential, documents, services) for tenant, credential in due])
        if len(due) < AT_A_TIME or services.now >= until:
            break
    return tended


async def _tended(tenant: TenantId, credential: str, documents: DocumentStore, services: Services) -> bool:
    try:
        return await tend_if_due(credential, await services.ledger(tenant), services)
    except StaleVersion:
        return False  # somebody else tends it
    except Exception as error:  # noqa: BLE001 - one broken entry must not keep the others waiting
        services.log.failure("a due key could not be tended", error, tenant=tenant, credential=credential)
        await _put_off(tenant, credential, documents, services)
        return False


async def _put_off(tenant: TenantId, credential: str, documents: DocumentStore, services: Services) -> None:
    """Let the others come first, without reading what may be unreadable, unless it was put off already."""
    store, later = documents.tenant(tenant), milliseconds(services.now + STEP_LEASE)
    found = await store.get(ref_of(credential))
    if found is not None and found.data.get("due_at", 0) <= milliseconds(services.now):
        with contextlib.suppress(StaleVersion):
            await store.commit([Update(found.ref, {**found.data, "due_at": later}, found.version)])
