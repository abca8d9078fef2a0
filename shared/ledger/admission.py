"""Whose data may be stored here: a tenant that is known, and pinned to this cell."""

from dataclasses import dataclass
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.ports.documents import DocumentStore, Ref, TenantDocuments

RECORD = Ref("tenant", "record")
NOBODY = "tnt_platform"
"""What holds for the cell is kept in this name."""
_ENDS_A_TENANT = f"-{PropertyId.prefix}"
"""In the names of secrets, what comes before its first is the tenant."""


HEARD: Final = "heard"
"""Said of a tenant that has events sent somewhere: of no other are they handed over for it."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A tenant of this cell: its documents, and whether it has events sent somewhere."""

    store: TenantDocuments
    heard: bool


async def admit_tenant(documents: DocumentStore, tenant: str, cell: str) -> Admitted:
    """Return the tenant's handle, or refuse it before anything is stored."""
    if tenant == NOBODY or _ENDS_A_TENANT in tenant:
        raise InvalidInput("tenantId", "a name that is ours", "give the tenant another id")
    store = documents.tenant(TenantId(tenant))
    record = await store.get(RECORD)
    if record is None:
        raise InvalidInput(
            "tenantId", "not a tenant of this fleet", "onboard the tenant, then replay the message"
        )
    if record.data.get("data_residency") != cell:
        raise InvalidInput("tenantId", "pinned to another cell", "publish the event in the tenant's own cell")
    return Admitted(store, record.data.get(HEARD) is True)
