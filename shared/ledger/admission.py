"""Whose data may be stored here: a tenant that is known, and pinned to this cell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.ports.documents import DocumentStore, Json, Ref, TenantDocuments

RECORD = Ref("tenant", "record")
NOBODY = "tnt_platform"
"""What holds for the cell is kept in this name."""
_ENDS_A_TENANT = f"-{PropertyId.prefix}"
"""In the names of secrets, what comes before its first is the tenant."""


HEARD: Final = "heard"
"""Said of a tenant that has events sent somewhere: of no other are they handed over for it."""
PIN: Final = "data_residency"
"""Which cell a tenant lives in."""
MOVED_AWAY, ARRIVING = "moved-away", "arriving"
"""The pins of a tenant that left this cell for another, and of one that is being brought here."""
MOVED_TO, EXPORTED = "moved_to", "exported"
"""Where to, and the digest of the export that went there."""
UNCOMPARED: Final = "uncompared"
"""Said of a tenant that was brought here, until its locks are compared: nothing is done at them before."""


ELSEWHERE: Final = "pinned to another cell"


class PinnedElsewhere(InvalidInput):
    """A tenant of another cell, or one that is on its way: nobody works for it here."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A tenant of this cell: its documents, whether somebody hears its events, and whether its locks wait."""

    store: TenantDocuments
    heard: bool
    uncompared: bool = False


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
    if record.data.get(PIN) != cell:
        raise PinnedElsewhere("tenantId", ELSEWHERE, _where(record.data))
    return Admitted(store, record.data.get(HEARD) is True, record.data.get(UNCOMPARED) is True)


def _where(record: Mapping[str, Json]) -> str:
    """Say where to ask instead: a tenant that moved is found by the cell that it went to."""
    if record.get(PIN) == ARRIVING:
        return "ask again once it has arrived here"
    cell = record.get(MOVED_TO)
    return f"publish the event in {cell}" if cell else "publish the event in the tenant's own cell"
