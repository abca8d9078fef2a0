"""An attempt that was kept, and not told: the sweeper tells it, and looks into it."""

from dataclasses import replace

from shared.domain.ids import TenantId
from shared.keywork.services import Services
from shared.ledger.attempt import ATTEMPTS, attempt_from
from shared.ports.documents import DocumentStore, Ref
from shared.usecases.attempts.look_into import look_into


async def tend_attempt(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    """Tell an attempt if nobody is known to have; return whether that was owed."""
    store = documents.tenant(tenant)
    found = await store.get(Ref(ATTEMPTS, name))
    attempt = None if found is None else attempt_from(found)
    if attempt is None or attempt.due is None or attempt.due > services.now:
        return False
    told = await attempt.announce(store, services.bus)
    await look_into(told, await services.ledger(tenant), services)
    await store.commit([replace(told, due=None).write()])
    return True
