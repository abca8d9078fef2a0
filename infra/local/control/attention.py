"""What somebody must see to: guests without their key, and locks that keep what should be gone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from functools import partial
from typing import Any, Final

from infra.local.control.credentials import credential_in
from infra.local.control.records import RESIDUAL, Records
from shared.domain.ids import TenantId
from shared.ledger.reservation import Status

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
        keyless += await _keyless(records, tenant)
    counted = {"failed_keys": failed, "waiting_keys": waiting, "residual_locks": locks}
    return {**counted, "keyless_stays": keyless[:MOST_NAMED]}


async def _residual_locks(records: Records, tenant: TenantId) -> int:
    page = partial(records.standings, tenant)
    return len({device async for _, device, state in _every(page) if state == RESIDUAL})


async def _keyless(records: Records, tenant: TenantId) -> list[str]:
    """Return the confirmed stays that name no key: all were ended, and no other could be requested."""
    page = partial(records.stays, tenant)
    return [stay async for stay, status, keys in _every(page) if status == Status.CONFIRMED and not keys]


async def _every(
    page_after: Callable[[str, int], list[tuple[str, Any, Any]]],
) -> AsyncIterator[tuple[Any, ...]]:
    """Go through all there is, page by page: others must not wait for all."""
    page = page_after("", PAGE)
    while page:
        for row in page:
            yield row
        await asyncio.sleep(0)
        page = page_after(page[-1][0], PAGE)
