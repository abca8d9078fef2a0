"""Counting days: what each brought to each hotel's keys, from the rows in which it was told.

| step                                                    | died here, or done twice                       |
|---------------------------------------------------------|------------------------------------------------|
| 1. go through a day's rows, once, page by page          | nothing was written                            |
| 2. write each property's numbers, over what stood there | the same numbers again: they come of rows alone |
| 3. note the day                                         | the next night counts it once more             |

The last day that was counted is counted again each night, for rows that came late. Nothing is asked of a
key's own path, and a night reads two days, however old the hotel is. Decision 0167.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from shared.domain.ids import PropertyId, TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.kinds import FailureReason
from shared.kernel.log import Log
from shared.ledger.day_figures import CountedUpTo, DayFigures, counted_up_to, figures_from
from shared.ledger.indexes import DAYS
from shared.ledger.vendor_day import PENDING, VendorTally, earlier, of_keys, rows_of
from shared.ports.documents import DocumentStore, TenantDocuments

MOST_DAYS: Final = 31
"""As many as one night makes good; the next goes on."""
BROKEN: Final = frozenset(
    {
        FailureReason.VENDOR_UNREACHABLE,
        FailureReason.KEY_ISSUE_FAILED,
        FailureReason.DEVICE_NOT_PAIRED,
        FailureReason.CREDENTIAL_EXPIRED,
        FailureReason.CARD_ENCODER_OFFLINE,
        FailureReason.NO_SUPPORTED_KIND,
    }
)
"""The other reasons say that nobody wants the key any more."""
WAITS: Final = (
    (timedelta(seconds=5), "within_5s"),
    (timedelta(seconds=30), "within_30s"),
    (timedelta(minutes=5), "within_5m"),
    (timedelta(minutes=30), "within_30m"),
)
Json = Mapping[str, Any]


async def count_days(
    tenants: Iterable[TenantId], documents: DocumentStore, now: datetime, log: Log
) -> dict[str, int]:
    """Count every tenant's days that are over; a broken one keeps no other waiting."""
    counted = Counter({"days": 0, "broken": 0})
    for tenant in tenants:
        try:
            counted["days"] += await _of_tenant(documents.tenant(tenant), now)
        except Exception as error:  # noqa: BLE001 - the next night looks again
            log.failure("a tenant's days could not be counted", error, tenant=tenant)
            counted["broken"] += 1
    return dict(counted)


async def _of_tenant(store: TenantDocuments, now: datetime) -> int:
    last = await counted_up_to(store)
    first = await _first_day(store) if last is None else last.day
    over = instant_to_text(now - timedelta(days=1))[:10]
    days = [] if first is None else _from(first, over)
    for day in days:
        await _count(day, store)
        note = CountedUpTo(day=day) if last is None else replace(last, day=day)
        last = await note.saved(store)
    return len(days)


def _from(first: str, last: str) -> list[str]:
    begins = instant_from_text(f"{first}T00:00:00Z", "day")
    days = [instant_to_text(begins + timedelta(days=each))[:10] for each in range(MOST_DAYS)]
    return [day for day in days if day <= last]


async def _first_day(store: TenantDocuments) -> str | None:
    rows = await store.query(DAYS, {}, limit=1)
    return next((str(row.data["day"]) for row in rows), None)


async def _count(day: str, store: TenantDocuments) -> None:
    tally = _Tally(VendorTally(store))
    async for row in rows_of(day, day, store):
        await tally.take(row.data)
    for counted in tally.days(day):
        await _keep(counted, store)


async def _keep(counted: DayFigures, store: TenantDocuments) -> None:
    """Write a day's numbers over what stands there; of two who count it, both have the same."""
    found = await store.get(counted.ref)
    if found is not None:
        counted = replace(counted, version=found.version, strays=figures_from(found).strays)
    await counted.saved(store)


@dataclass(slots=True)
class _Tally:
    """The numbers of a day, property by property."""

    vendors: VendorTally
    found: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    revoked: dict[str, str] = field(default_factory=dict)
    """When each key of the day was revoked."""

    async def take(self, row: Json) -> None:
        """Count one row, if it tells of a key."""
        word = of_keys(row)
        if word not in READ:
            return
        told = orjson.loads(row["body"])
        await self.vendors.take(row, told)
        if word in COUNTED_AS:
            await self._of_hotel(row, word, told["data"])

    async def _of_hotel(self, row: Json, word: str, told: Json) -> None:
        if word == "revoked":
            self.revoked[row["aggregateId"]] = told["revokedAt"]
        names = [*COUNTED_AS[word](told)]
        if word == "revoke_settled" and told["vendorRevokeOk"]:
            names.append(await self._wait(row, told["settledAt"]))
        if house := told.get("propertyId"):
            self.found[house].update(names)

    async def _wait(self, row: Json, settled_at: str) -> str:
        began = self.revoked.get(row["aggregateId"])
        if began is None:
            before = await earlier(row, "revoked", self.vendors.store)
            if before is None:
                return "longer"  # so long ago that its row is gone
            began = before["data"]["revokedAt"]
        took = instant_from_text(settled_at, "settledAt") - instant_from_text(began, "revokedAt")
        return next((name for most, name in WAITS if took <= most), "longer")

    def days(self, day: str) -> Iterable[DayFigures]:
        """Return the day's figures, property by property."""
        for house, numbers in self.found.items():
            vendors = tuple(each for where, each in sorted(self.vendors.found.items()) if where[1] == house)
            told: dict[str, Any] = dict(numbers)
            yield DayFigures(property_id=PropertyId(house), day=day, vendors=vendors, **told)


def _issued(told: Json) -> Iterable[str]:
    first = told.get("holderKind") == "guest" and told.get("setRole", "first") == "first"
    return ("issued", "stays") if first and not told.get("replaces") else ("issued",)


def _failed(told: Json) -> Iterable[str]:
    return ("failed",) if told["failureReason"].lower() in BROKEN else ()


def _revoked(told: Json) -> Iterable[str]:
    return ("revoked", "lost") if told["reason"] == "lost" else ("revoked",)


def _settled(told: Json) -> Iterable[str]:
    return ("settled",) if told["vendorRevokeOk"] else ("settled", "left")


COUNTED_AS: Final[Mapping[str, Callable[[Json], Iterable[str]]]] = {
    "requested": lambda _: ("requested",),
    "issued": _issued,
    "failed": _failed,
    "revoked": _revoked,
    "revoke_settled": _settled,
}
READ: Final = frozenset({PENDING, *COUNTED_AS})
