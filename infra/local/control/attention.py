"""What somebody must see to: guests without their key, and locks that keep what should be gone."""

import asyncio
from datetime import datetime
from typing import Any, Final

from infra.local.control.credentials import credential_in
from infra.local.control.records import RESIDUAL, Records
from shared.domain.ids import TenantId

PAGE: Final = 1000
MOST_NAMED: Final = 20


async def attention(records: Records, now: datetime) -> dict[str, Any]:
    """Count failed keys that are wanted, keys yet to be made, locks with residues; name keyless stays."""
    failed = waiting = locks = 0
    keyless: list[str] = []
    for tenant in records.tenants():
        failed += sum(credential_in(key).core.window.end > now for key in records.failed_and_wanted(tenant))
        waiting += records.waiting(tenant)
        locks += await _residual_locks(records, tenant)
        keyless += records.keyless(tenant)
    counted = {"failed_keys": failed, "waiting_keys": waiting, "residual_locks": locks}
    return {**counted, "keyless_stays": keyless[:MOST_NAMED]}


async def _residual_locks(records: Records, tenant: TenantId) -> int:
    found: set[str | None] = set()
    page = records.standings(tenant, "", PAGE)
    while page:
        found |= {device for _, device, state in page if state == RESIDUAL}
        await asyncio.sleep(0)  # every grant is looked at, and others must not wait for all
        page = records.standings(tenant, page[-1][0], PAGE)
    return len(found)
