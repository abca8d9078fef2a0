"""What happened to a lock and was not told: the sweeper tells it."""

from shared.domain.ids import TenantId
from shared.keywork.services import Services
from shared.ledger.device_record import DEVICE_HEALTH, device_record_from
from shared.ports.documents import DocumentStore, Ref
from shared.streams.owed import nothing_owed, owed


async def tend_device(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    """Tell what a lock has not told; return whether there was any."""
    store = documents.tenant(tenant)
    record = await owed(device_record_from, Ref(DEVICE_HEALTH, name), store, services.now)
    if record is None:
        return False
    await nothing_owed([await record.announce(store, services.bus)], store.commit)
    return True
