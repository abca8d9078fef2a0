"""Closing sessions whose time is over: the sweeper finds them, and tells of each as of any other end."""

from typing import Final

from shared.domain.ids import TenantId
from shared.keywork.services import Services
from shared.ports.documents import DocumentStore, Ref
from shared.usecases.backoffice.sessions import SESSIONS, session_from
from shared.usecases.backoffice.sign_in import close
from shared.usecases.telemetry.flags import DocumentFlags, Rates
from shared.usecases.telemetry.tell import Teller

INSTANCE: Final = "bff-bo-sweeper"
EXPIRED: Final = "expired"


async def expire_session(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    """Close a session whose time is over; one that was used meanwhile stays open."""
    found = await documents.tenant(tenant).get(Ref(SESSIONS, name))
    if found is None:
        return False
    session = session_from(found)
    if session.closed_at is not None or session.is_open(services.now):
        return False
    teller = _teller(documents, services)
    return await close(session, EXPIRED, tenant, f"req_{services.ids.ulid()}", teller)


def _teller(documents: DocumentStore, services: Services) -> Teller:
    rates = Rates(DocumentFlags(documents), services.clock, services.entropy, services.log)
    return Teller(
        documents,
        services.bus,
        rates,
        services.clock,
        services.ids,
        services.entropy,
        services.log,
        INSTANCE,
    )
