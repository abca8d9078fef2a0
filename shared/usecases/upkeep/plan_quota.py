"""The budget of calls of each vendor's application: what is due until its month ends, against what is left.

| due | is counted as | until the month's end |
|---|---|---|
| keys to be made, or moved | placing at each of their locks | by their guests' arrival |
| keys that come as they came in the last week | the same, day for day | |
| keys that end | removing at each of their locks | by their end |
| standing keys of staff | moving at each of their locks | once each shift of theirs |
| the nightly comparison | looking at each lock | each night |

What removals need is kept for them (`Month.reserved`). Somebody is told, once a day, as soon as all of it is
more than is left: which day it ends, and what would be dropped first. Decision 0118.
"""

import contextlib
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.core import Staff
from shared.domain.instants import instant_from_text, instant_to_text, milliseconds
from shared.domain.kinds import VendorCode
from shared.keywork.services import Services
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.indexes import KEYS_AT, LIVE_AT, RATES
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.residents import houses_of, residents
from shared.ports.documents import (
    AlreadyExists,
    Create,
    Document,
    DocumentStore,
    Index,
    Ref,
    StaleVersion,
    TenantDocuments,
    Update,
)
from shared.vendor_kit.calm.blocks import KEPT_FOR, PLATFORM

PLACE, REMOVE, MOVE, LOOK = 2, 3, 3, 3
"""Calls at one lock: adding and reading back; listing, deleting, listing; the same to move; three lists."""
TREND: Final = timedelta(days=7)
PAGE: Final = 500
QUOTA_PLANS: Final = "quota_plans"
MOST_KEYS: Final = 20_000
TOLD_EVERY: Final = timedelta(hours=24)
WORK: Final = ("arrivals", "trend", "removals", "shifts", "comparisons")
DROPPED: Final = ("comparisons", "trend", "arrivals", "shifts", "removals")
"""What there would be no calls for, the least needed first; removals are the last."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """One application's month: what was spent of what, and what is due of each sort until it ends."""

    application: str
    monthly: int | None
    spent: int
    ends: datetime
    due: Counter[str]

    @property
    def vendor(self) -> VendorCode:
        """Whose application it is."""
        return VendorCode(self.application.partition(":")[0])

    @property
    def needed(self) -> int:
        """How many calls are due in all."""
        return self.due.total()

    @property
    def missing(self) -> int:
        """How many of them there will be no calls for."""
        return 0 if self.monthly is None else max(0, self.spent + self.needed - self.monthly)

    def dropped(self) -> list[str]:
        """Return what there would be no calls for, the first to go first."""
        missing, gone = self.missing, list[str]()
        for sort in DROPPED:
            if missing > 0 and self.due[sort]:
                gone.append(sort)
                missing -= self.due[sort]
        return gone

    def ends_on(self, now: datetime) -> datetime | None:
        """Return when the calls end if they are made evenly; None if they last."""
        if self.monthly is None or not self.missing:
            return None
        share = max(0.0, (self.monthly - self.spent) / self.needed)
        return now + (self.ends - now) * share

    def body(self, now: datetime) -> dict[str, Any]:
        """Return what people are shown."""
        ends_on = self.ends_on(now)
        return {
            "application": self.application,
            "monthly": self.monthly,
            "spent": self.spent,
            "due": {sort: self.due[sort] for sort in WORK},
            "month_ends": instant_to_text(self.ends),
            "missing": self.missing,
            "calls_end": None if ends_on is None else instant_to_text(ends_on),
            "dropped": self.dropped(),
        }


async def plan_quota(documents: DocumentStore, cell: str, services: Services) -> list[dict[str, Any]]:
    """Forecast each application's month, keep what removals need of it, and tell of one that falls short."""
    shown = []
    for found in await documents.tenant(PLATFORM).query(RATES, {}, limit=PAGE):
        forecast = await forecast_of(found, documents, cell, services)
        await _reserve(found, forecast, documents)
        shown.append(await _told(forecast, documents, services))
    return shown


async def forecast_of(found: Document, documents: DocumentStore, cell: str, services: Services) -> Forecast:
    """Return what an application's month comes to, as far as the ledger tells.

    Of several applications of one vendor nobody knows here whose is whose: each is held against all.
    """
    limit, application = found.data.get("limit", {}), found.ref.id
    ends = month_end(services.now, limit.get("month_ahead", 0.0))
    vendor = VendorCode(application.partition(":")[0])
    month = month_of(services.now, limit.get("month_ahead", 0.0))
    spent = found.data.get("spent", 0) if found.data.get("month") == month else 0
    due = Counter[str]()
    for store, setup in await houses(documents, cell, services):
        due += await _due_at(store, setup, vendor, ends, services.now)
    return Forecast(application, limit.get("monthly"), spent, ends, due)


def month_of(now: datetime, ahead: float) -> str:
    """Return the month as a vendor's books have it."""
    return (now + timedelta(hours=ahead)).strftime("%Y-%m")


def month_end(now: datetime, ahead: float) -> datetime:
    """Return when the month ends by a vendor's books."""
    there = now + timedelta(hours=ahead)
    first = there.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    following = (first + timedelta(days=32)).replace(day=1)
    return following - timedelta(hours=ahead)


async def houses(
    documents: DocumentStore, cell: str, services: Services
) -> list[tuple[TenantDocuments, HotelSetup]]:
    """Return the hotels of a cell that are open."""
    found = []
    async for tenant in residents(documents, cell):
        store = documents.tenant(tenant)
        for hotel in await houses_of(store):
            setup = await services.hotels.premises(tenant, hotel)
            if setup.property.closed_at is None:
                found.append((store, setup))
    return found


async def _due_at(
    store: TenantDocuments, setup: HotelSetup, vendor: VendorCode, ends: datetime, now: datetime
) -> Counter[str]:
    locks = len(setup.of_vendor(vendor))
    days = max(0.0, (ends - now) / timedelta(days=1))
    due = Counter({"comparisons": int(LOOK * locks * days)})
    at = {"property_id": str(setup.property.id)}
    for entry in await every_key(store, LIVE_AT, at):
        if entry.credential.core.plan.current.vendor == vendor:
            due += _due_of(entry, _doors(entry, setup), ends, now)
    made = await _made_lately(store, setup, vendor, now)
    due["trend"] = int((PLACE + REMOVE) * made * days / (TREND / timedelta(days=1)))
    return due


def _due_of(entry: KeyRecord, doors: int, ends: datetime, now: datetime) -> Counter[str]:
    core = entry.credential.core
    due = Counter[str]()
    if entry.to_be_made and core.window.start < ends:
        due["arrivals"] += PLACE * doors
    elif entry.amends is not None:
        due["arrivals"] += MOVE * doors
    if isinstance(core.holder, Staff) and core.holder.standing:
        shifts = max(0, (ends - now).days * 5 // 7)  # as most people work
        due["shifts"] += MOVE * doors * shifts
    elif core.window.end < ends:
        due["removals"] += REMOVE * doors
    return due


def _doors(entry: KeyRecord, setup: HotelSetup) -> int:
    core = entry.credential.core
    doors = setup.doors(core.rooms, core.scope)
    return sum(door.vendor == core.plan.current.vendor for door in doors)


async def _made_lately(store: TenantDocuments, setup: HotelSetup, vendor: VendorCode, now: datetime) -> int:
    """Return at how many locks keys were asked for in the last week."""
    at, since = {"of_property": str(setup.property.id)}, -milliseconds(now - TREND)
    entries = await every_key(store, KEYS_AT, at, until=since)
    return sum(
        _doors(entry, setup) for entry in entries if entry.credential.core.plan.current.vendor == vendor
    )


async def every_key(
    store: TenantDocuments, index: Index, equals: dict[str, str], until: int | None = None
) -> list[KeyRecord]:
    """Return the keys of an index, as far as anybody can plan for."""
    found = list(await store.query(index, equals, until=until, limit=PAGE))
    page = found
    while len(page) == PAGE and len(found) < MOST_KEYS:
        page = list(await store.query(index, equals, until=until, after=found[-1], limit=PAGE))
        found += page
    return [key_record_from(each) for each in found]


async def _reserve(found: Document, forecast: Forecast, documents: DocumentStore) -> None:
    """Keep what removals need; whoever takes calls meanwhile goes first, and the next hour does it."""
    reserved = forecast.due["removals"]
    if forecast.monthly is not None and found.data.get("reserved") != reserved:
        kept = Update(found.ref, {**found.data, "reserved": reserved}, found.version, found_until(found))
        with contextlib.suppress(StaleVersion):
            await documents.tenant(PLATFORM).commit([kept])


def found_until(found: Document) -> datetime:
    """Return until when what was taken of a limit is kept: as long as whoever took it last said."""
    return instant_from_text(found.data["written"], "written") + KEPT_FOR


async def _told(forecast: Forecast, documents: DocumentStore, services: Services) -> dict[str, Any]:
    """Keep the plan where people look it up, and tell of one that falls short, once a day."""
    store, ref = documents.tenant(PLATFORM), Ref(QUOTA_PLANS, forecast.application)
    found, now = await store.get(ref), services.now
    told_at = None if found is None else found.data.get("told_at")
    quiet = told_at is not None and now < instant_from_text(told_at, "told_at") + TOLD_EVERY
    if forecast.missing and not quiet:
        _alarm(forecast, services)
        told_at = instant_to_text(now)
    body = forecast.body(now)
    plan = {**body, "schema_version": 1, "planned_at": instant_to_text(now), "told_at": told_at}
    write = Create(ref, plan) if found is None else Update(ref, plan, found.version)
    with contextlib.suppress(StaleVersion, AlreadyExists):
        await store.commit([write])
    return body


def _alarm(forecast: Forecast, services: Services) -> None:
    ends_on = forecast.ends_on(services.now)
    services.log.alert(
        "MELMASTOON.LOCK.VENDOR_QUOTA",
        runbook="lock/quota",
        because=f"{forecast.vendor}: {forecast.missing} of the {forecast.needed} calls still due are missing",
        vendor=forecast.vendor,
        application=forecast.application,
        spent=forecast.spent,
        monthly=forecast.monthly,
        needed=forecast.needed,
        missing=forecast.missing,
        callsEnd=None if ends_on is None else instant_to_text(ends_on),
        dropped=", ".join(forecast.dropped()),
    )
