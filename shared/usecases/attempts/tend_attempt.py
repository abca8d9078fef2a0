"""An attempt that was kept, and not told: the sweeper tells it, and looks into it."""

from shared.domain.ids import TenantId
from shared.keywork.services import Services
from shared.ledger.attempt import ATTEMPTS, attempt_from
from shared.ports.documents import DocumentStore, Ref
from shared.streams.owed import nothing_owed, owed
from shared.usecases.attempts.look_into import look_into


async def tend_attempt(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    """Tell an attempt if nobody is known to have; return whether that was owed."""
    store = documents.tenant(tenant)
    attempt = await owed(attempt_from, Ref(ATTEMPTS, name), store, services.now)
    if attempt is None:
        return False
    told = await attempt.announce(store, services.bus)
    await look_into(told, await services.ledger(tenant), services)
    await nothing_owed([told], store.commit)
    return True
