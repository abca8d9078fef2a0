"""What somebody was woken for: the last alerts of each tenant, and of the cell, the newest first."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.ids import TenantId
from shared.domain.instants import instant_to_text
from shared.ledger.admission import NOBODY
from shared.ledger.kept_alerts import MOST_KEPT, KeptAlert, kept_alerts
from shared.ports.documents import TenantDocuments
from shared.queries.alert_names import Names, named
from shared.queries.hotels import Cell, zones

A_DAY: Final = timedelta(days=1)
UNNAMED: Final[Mapping[str, Any]] = {"property": None, "rooms": [], "names": {}}


@dataclass(slots=True)
class _Reader:
    """Who reads of each tenant once what its alerts are told with."""

    _walls: dict[TenantId, str | None] = field(default_factory=dict)
    _names: dict[TenantId, Names] = field(default_factory=dict)

    async def shown(self, alert: KeptAlert, store: TenantDocuments) -> dict[str, Any]:
        """Return an alert as it is shown."""
        tenant, of_none = store.tenant, store.tenant == NOBODY
        if tenant not in self._walls:
            walls = {*(await zones(store)).values()}
            self._walls[tenant] = next(iter(walls)) if len(walls) == 1 else None
        whose = {"tenant": None if of_none else str(tenant), "zone": self._walls[tenant]}
        called = self._names.setdefault(tenant, {})
        names = UNNAMED if of_none else await named(alert, store, called)
        return {**asdict(alert), "at": instant_to_text(alert.at), **whose, **names}


async def last_alerts(cell: Cell, tenant: str | None, limit: int = MOST_KEPT) -> dict[str, Any]:
    """Return the last alerts of a tenant, or of all and of none, with the clock on their hotel's wall."""
    found, reader = await _newest_first(cell, tenant), _Reader()
    return {"alerts": [await reader.shown(*each) for each in found[:limit]], "more": len(found) > limit}


async def recent(cell: Cell, now: datetime) -> dict[str, Any]:
    """Return how many alerts a day brought, and the last of all."""
    found = await _newest_first(cell, None)
    today = sum(alert.at >= now - A_DAY for alert, _ in found)
    last = await _Reader().shown(*found[0]) if found else None
    return {"alerts_within_a_day": today, "last_alert": last}


async def _newest_first(cell: Cell, tenant: str | None) -> list[tuple[KeptAlert, TenantDocuments]]:
    stores = await _stores(cell, tenant)
    found = [(alert, store) for store in stores for alert in (await kept_alerts(store)).alerts]
    return sorted(found, key=lambda each: each[0].at, reverse=True)


async def _stores(cell: Cell, tenant: str | None) -> list[TenantDocuments]:
    of_none = [] if tenant is not None else [cell.documents.tenant(TenantId(NOBODY))]
    return [*await cell.known(tenant), *of_none]
