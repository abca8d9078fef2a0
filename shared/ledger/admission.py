"""Whose data may be stored here: a tenant that is known, and pinned to this cell."""

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ports.documents import DocumentStore, Ref, TenantDocuments

RECORD = Ref("tenant", "record")


async def admit_tenant(documents: DocumentStore, tenant: str, cell: str) -> TenantDocuments:
    """Return the tenant's handle, or refuse it before anything is stored."""
    store = documents.tenant(TenantId(tenant))
    record = await store.get(RECORD)
    if record is None:
        raise InvalidInput(
            "tenantId", "not a tenant of this fleet", "onboard the tenant, then replay the message"
        )
    if record.data.get("data_residency") != cell:
        raise InvalidInput("tenantId", "pinned to another cell", "publish the event in the tenant's own cell")
    return store
