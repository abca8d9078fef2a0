"""Alerts that were raised in this process are kept for whoever looks later, with the next answer it gives."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from shared.domain.ids import TenantId
from shared.kernel.log import Raised
from shared.ledger.admission import NOBODY
from shared.ledger.kept_alerts import KeptAlert, keep_alerts
from shared.runtime.platform import Platform


async def keep_raised(on: Platform) -> None:
    """Keep what was raised since; what cannot be kept stays in the log, and the work goes on."""
    by_tenant: dict[str, list[KeptAlert]] = defaultdict(list)
    while on.log.raised:
        raised = on.log.raised.popleft()
        by_tenant[_tenant_of(raised.line)].append(KeptAlert.of(raised.line, _when(raised, on)))
    for tenant, alerts in by_tenant.items():
        try:
            kept = await keep_alerts(on.documents.tenant(TenantId(tenant)), alerts)
        except Exception as error:  # noqa: BLE001 - they stand in the log: no answer may fail for their copy
            on.log.failure("alerts could not be kept beside the log", error, count=len(alerts))
            continue
        if not kept:
            on.log.warning("alerts could not be kept beside the log", count=len(alerts))


def _tenant_of(line: Mapping[str, Any]) -> str:
    tenant = line.get("tenantId") or line.get("tenant")
    return tenant if isinstance(tenant, str) and tenant.startswith(TenantId.prefix) else NOBODY


def _when(raised: Raised, on: Platform) -> datetime:
    return raised.at or on.clock.now()
