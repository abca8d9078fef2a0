"""What somebody was woken for: the last alerts of each tenant, and of the cell, the newest first."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.ids import TenantId
from shared.domain.instants import instant_to_text
from shared.ledger.admission import NOBODY
from shared.ledger.kept_alerts import MOST_KEPT, KeptAlert, kept_alerts
from shared.ports.documents import TenantDocuments
from shared.queries.hotels import Cell, zones

A_DAY: Final = timedelta(days=1)


async def last_alerts(cell: Cell, tenant: str | None, limit: int = MOST_KEPT) -> dict[str, Any]:
    """Return the last alerts of a tenant, or of all and of none, with the clock on their hotel's wall."""
    shown: list[dict[str, Any]] = []
    for store in await _stores(cell, tenant):
        kept = (await kept_alerts(store)).alerts
        walls = {*(await zones(store)).values()} if kept else set[str]()
        zone = next(iter(walls)) if len(walls) == 1 else None
        shown += [_shown(alert, store, zone) for alert in kept]
    shown.sort(key=lambda alert: str(alert["at"]), reverse=True)
    return {"alerts": shown[:limit], "more": len(shown) > limit}


async def recent(cell: Cell, now: datetime) -> dict[str, Any]:
    """Return how many alerts a day brought, and the last of all."""
    found = (await last_alerts(cell, None))["alerts"]
    since = instant_to_text(now - A_DAY)
    today = sum(alert["at"] >= since for alert in found)
    return {"alerts_within_a_day": today, "last_alert": next(iter(found), None)}


async def _stores(cell: Cell, tenant: str | None) -> list[TenantDocuments]:
    of_none = [] if tenant is not None else [cell.documents.tenant(TenantId(NOBODY))]
    return [*await cell.known(tenant), *of_none]


def _shown(alert: KeptAlert, store: TenantDocuments, zone: str | None) -> dict[str, Any]:
    tenant = None if store.tenant == NOBODY else str(store.tenant)
    return {**asdict(alert), "at": instant_to_text(alert.at), "tenant": tenant, "zone": zone}
