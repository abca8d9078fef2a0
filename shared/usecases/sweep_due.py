"""The sweeper: every key whose time has come is tended, whoever's it is."""

import contextlib
from datetime import timedelta
from typing import Final

from shared.domain.ids import TenantId
from shared.domain.instants import milliseconds
from shared.ledger.delays import LOOKED_AFTER
from shared.ledger.entry import ref_of
from shared.ledger.indexes import DUE
from shared.ports.documents import DocumentStore, StaleVersion, Update
from shared.usecases.office import Office
from shared.usecases.tend_key import tend_if_due

AT_A_TIME: Final = 200
MOST_ROUNDS: Final = 50
LONGEST: Final = timedelta(minutes=4)
"""Less than the sweeper's own time, and more than the minute after which the next one sets out."""


async def sweep_due(documents: DocumentStore, office: Office) -> int:
    """Tend what is due, the longest overdue first, and return how many keys that were."""
    until, tended = office.now + LONGEST, 0
    for _ in range(MOST_ROUNDS):
        due = await documents.sweep(DUE, {}, until=milliseconds(office.now), limit=AT_A_TIME)
        tended += sum([await _tended(tenant, credential, documents, office) for tenant, credential in due])
        if len(due) < AT_A_TIME or office.now >= until:
            break
    return tended


async def _tended(tenant: TenantId, credential: str, documents: DocumentStore, office: Office) -> bool:
    try:
        return await tend_if_due(credential, await office.ledger(tenant), office)
    except StaleVersion:
        return False  # somebody else tends it
    except Exception as error:  # noqa: BLE001 - one broken entry must not keep the others waiting
        office.log.failure("a due key could not be tended", error, tenant=tenant, credential=credential)
        await _put_off(tenant, credential, documents, office)
        return False


async def _put_off(tenant: TenantId, credential: str, documents: DocumentStore, office: Office) -> None:
    """Let the others come first, without reading what may be unreadable, unless it was put off already."""
    store, later = documents.tenant(tenant), milliseconds(office.now + LOOKED_AFTER)
    found = await store.get(ref_of(credential))
    if found is not None and found.data.get("due_at", 0) <= milliseconds(office.now):
        with contextlib.suppress(StaleVersion):
            await store.commit([Update(found.ref, {**found.data, "due_at": later}, found.version)])
