"""Leases of a process that died: the embedded cloud is one process, so at its start nobody can hold any."""

from typing import Any, Final

import orjson

from infra.local.storage.engine import Engine
from infra.local.storage.packing import unpack
from shared.domain.ids import TenantId
from shared.domain.instants import instant_from_text
from shared.ports.leases import Lease, Leases
from shared.vendor_kit.leases import COLLECTION, NOBODY

_LEASES: Final = "SELECT tenant, id, body FROM packed WHERE db = 'main' AND collection = ?"


async def free_orphans(engine: Engine, leases: Leases) -> int:
    """Give back every lease that is held, and return how many were; their fences stay."""
    rows = [
        (TenantId(tenant), id_, orjson.loads(unpack(body)))
        for tenant, id_, body in engine.read(_LEASES, (COLLECTION,))
    ]
    held = [_lease(tenant, name, data) for tenant, name, data in rows if data["holder"] != NOBODY]
    for lease in held:
        await leases.release(lease)
    return len(held)


def _lease(tenant: TenantId, name: str, data: dict[str, Any]) -> Lease:
    until = instant_from_text(data["expires_at"], "expires_at")
    return Lease(tenant, name, data["holder"], data["fence"], until)
