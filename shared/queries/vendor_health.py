"""A hotel's vendors: whether each answers, when its locks were compared last, and what of its calls is left.

An application's name is a digest: nobody here can tell whose it is. That a vendor is in trouble, everybody
who has its locks may know; how much it was asked is shown only where the cell has one company, whose it is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.ledger.comparison import comparison_from
from shared.ledger.comparison import ref_of as comparison_at
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.indexes import BREAKERS
from shared.ports.documents import Document, TenantDocuments
from shared.queries.grants import at_or_none
from shared.queries.hotels import Cell
from shared.queries.quota import shown_quota
from shared.vendor_kit.breaker import BreakerState
from shared.vendor_kit.calm.blocks import PLATFORM

MOST_READ: Final = 200
_WORST: Final = (BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED)
WELL: Final = {"state": BreakerState.CLOSED.value, "since": None, "errors": None}


async def vendor_health(cell: Cell, store: TenantDocuments, setup: HotelSetup) -> list[dict[str, Any]]:
    """Return how each vendor of a hotel is, the one with most locks first."""
    locks = Counter(str(each.vendor) for each in setup.devices)
    breakers = await cell.documents.tenant(PLATFORM).query(BREAKERS, {}, limit=MOST_READ)
    asked = await _asked(cell, store)
    return [
        {
            "vendor": vendor,
            "locks": count,
            **_worst(vendor, breakers),
            **await _compared(store, setup.property.id, vendor),
            "applications": [each for each in asked if _of(vendor, each["application"])],
        }
        for vendor, count in locks.most_common()
    ]


def _of(vendor: str, application: str) -> bool:
    return application.partition(":")[0] == vendor


def _worst(vendor: str, breakers: Sequence[Document]) -> Mapping[str, Any]:
    """Return how a vendor is where it is worst; one that no call ever failed at is well."""
    mine = [each for each in breakers if _of(vendor, each.ref.id)]
    if not mine:
        return WELL
    worst = min(mine, key=lambda each: _WORST.index(BreakerState(each.data["state"])))
    errors = worst.data.get("error_rate_pct")
    return {"state": worst.data["state"], "since": worst.data["changed_at"], "errors": errors}


async def _compared(store: TenantDocuments, house: str, vendor: str) -> dict[str, Any]:
    found = await store.get(comparison_at(house, vendor))
    if found is None:
        return {"comparison": None, "compared_at": None}
    last = comparison_from(found)
    return {"comparison": last.progress.value, "compared_at": at_or_none(last.moved_at)}


async def _asked(cell: Cell, store: TenantDocuments) -> list[dict[str, Any]]:
    if await cell.tenants() != [store.tenant]:
        return []
    found: list[dict[str, Any]] = (await shown_quota(cell.documents))["applications"]
    return found
