"""What leaves the cell for a tenant (A §17.5): its vendors' clouds are called; of the log, hashes go out."""

from typing import Any

from shared.domain.ids import TenantId
from shared.ledger.admission import NOBODY
from shared.ledger.indexes import DEVICES
from shared.ports.documents import Ref
from shared.queries.hotels import Cell, every, properties

WITNESS = Ref("audit_settings", "witness")


async def egress(cell: Cell, tenant: str) -> dict[str, Any]:
    """Return which vendors are called for a tenant, at how many locks of which properties."""
    (store,) = await cell.known(tenant)
    vendors: dict[str, dict[str, int]] = {}
    for place in await properties(store):
        async for lock in every(store, DEVICES, {"property_id": place}):
            at = vendors.setdefault(str(lock.data["vendor"]), {})
            at[place] = at.get(place, 0) + 1
    shown = [
        {"vendor": vendor, "locks": sum(places.values()), "properties": sorted(places)}
        for vendor, places in sorted(vendors.items())
    ]
    return {"tenant": tenant, "cell": cell.name, "vendors": shown, "witness": await _witness(cell)}


async def _witness(cell: Cell) -> str | None:
    """Return where the cell's checkpoints are shown: they hold sizes and hashes, and no record of anybody."""
    found = await cell.documents.tenant(TenantId(NOBODY)).get(WITNESS)
    return None if found is None else f"{found.data['bucket']} ({found.data['region']})"
