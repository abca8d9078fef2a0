"""What happened to a lock and was not told: the sweeper tells it."""

from dataclasses import replace

from shared.domain.ids import TenantId
from shared.keywork.services import Services
from shared.ledger.device_record import DEVICE_HEALTH, device_record_from
from shared.ports.documents import DocumentStore, Ref


async def tend_device(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    """Tell what a lock has not told; return whether there was any."""
    store = documents.tenant(tenant)
    found = await store.get(Ref(DEVICE_HEALTH, name))
    record = None if found is None else device_record_from(found)
    if record is None or record.due is None or record.due > services.now:
        return False
    told = await record.announce(store, services.bus)
    await store.commit([replace(told, due=None).write()])
    return True
