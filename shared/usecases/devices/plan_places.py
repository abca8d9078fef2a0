"""The places of locks that keep so many keys and no more: which are nearly full, who waits, when they fill.

A key takes its place from when it is made until twelve hours after its end: one that waits is made 72 hours
before its guest comes. The first day on which a lock would need more places than it has is told of, once a
day, as long as there is such a day: days before it comes. Decision 0143.
"""

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final

from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.instants import Moment, instant_to_text
from shared.domain.premises import LockDevice
from shared.keywork.lead_time import places_at
from shared.keywork.next_due import OVER_AFTER
from shared.keywork.services import Services
from shared.ledger.delays import NEAR_ARRIVAL
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.indexes import LIVE_AT
from shared.ledger.key_record import KeyRecord
from shared.ledger.reading import read_record
from shared.ports.documents import AlreadyExists, DocumentStore, Ref, StaleVersion, TenantDocuments
from shared.streams.record import Record
from shared.usecases.upkeep.plan_quota import every_key, houses
from shared.vendor_kit.registry import capacity_of

PLACE_PLANS: Final = "place_plans"
TOLD_EVERY: Final = timedelta(hours=24)
Span = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacePlan(Record):
    """When somebody was last told that a property's locks will be full."""

    schema_version: ClassVar[int] = 1

    property_id: PropertyId
    told_at: Moment

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(PLACE_PLANS, self.property_id)


@dataclass(frozen=True, slots=True)
class Crowd:
    """The keys of one kind at one lock, that it has or is to have, each for its time."""

    door: LockDevice
    capacity: int
    keys: tuple[KeyRecord, ...]

    @property
    def taken(self) -> int:
        """How many have their place."""
        return sum(not each.to_be_made for each in self.keys)

    @property
    def waiting(self) -> int:
        """How many wait for their time."""
        return sum(each.waits is not None for each in self.keys)

    @property
    def nearly_full(self) -> bool:
        """Say whether only those get a place who come soon."""
        return self.taken >= places_at(self.door, self.capacity).for_later

    def fills_at(self, now: datetime) -> datetime | None:
        """Return when there are first more keys than places, by all that is booked."""
        return first_beyond(self.capacity, [_span(each, now) for each in self.keys])

    def body(self, now: datetime) -> dict[str, Any]:
        """Return what people are shown."""
        fills_at = self.fills_at(now)
        return {
            "device": str(self.door.id),
            "label": self.door.label,
            "property": self.door.property_id,
            "vendor": self.door.vendor,
            "capacity": self.capacity,
            "taken": self.taken,
            "waiting": self.waiting,
            "fills_at": None if fills_at is None else instant_to_text(fills_at),
        }


async def plan_places(documents: DocumentStore, cell: str, services: Services) -> list[dict[str, Any]]:
    """Return the locks that are nearly full or will be, and tell of those that will have no place."""
    shown = list[dict[str, Any]]()
    for store, setup in await houses(documents, cell, services):
        if any(capacity_of(door.vendor) for door in setup.devices):
            shown += await _of_house(store, setup, services)
    return shown


async def _of_house(store: TenantDocuments, setup: HotelSetup, services: Services) -> list[dict[str, Any]]:
    keys = await every_key(store, LIVE_AT, {"property_id": str(setup.property.id)})
    found = [each.body(services.now) for each in crowds(setup, keys) if _worth_telling(each, services.now)]
    full = [each for each in found if each["fills_at"] is not None]
    if full:
        await _tell(min(full, key=lambda each: str(each["fills_at"])), setup, store, services)
    return found


def _worth_telling(crowd: Crowd, now: datetime) -> bool:
    return bool(crowd.nearly_full or crowd.waiting or crowd.fills_at(now))


def crowds(setup: HotelSetup, keys: Iterable[KeyRecord]) -> list[Crowd]:
    """Return the locks that keep so many keys and no more, each with those that it has and is to have."""
    doors = {door.id: door for door in setup.devices}
    at = defaultdict[tuple[LockDeviceId, int], list[KeyRecord]](list)
    for key in keys:
        core = key.credential.core
        current = core.plan.current
        capacity = capacity_of(current.vendor).get(current.kind)
        rooms = core.rooms if key.amends is None else key.amends.rooms
        for door in setup.doors(rooms, core.scope) if capacity is not None else ():
            if door.vendor == current.vendor and capacity is not None:
                at[door.id, capacity].append(key)
    return [Crowd(doors[door], capacity, tuple(here)) for (door, capacity), here in at.items()]


def _span(key: KeyRecord, now: datetime) -> Span:
    """Return from when until when a key takes its place."""
    window = key.credential.core.window if key.amends is None else key.amends.window
    return (window.start - NEAR_ARRIVAL if key.to_be_made else now), window.end + OVER_AFTER


def first_beyond(capacity: int, spans: Sequence[Span]) -> datetime | None:
    """Return the first instant at which more spans last than there is room for."""
    # Of one instant, what ends makes room for what begins.
    edges = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans])
    lasting = 0
    for at, change in edges:
        lasting += change
        if lasting > capacity:
            return at
    return None


async def _tell(
    first: Mapping[str, Any], setup: HotelSetup, store: TenantDocuments, services: Services
) -> None:
    found, now = await store.get(Ref(PLACE_PLANS, setup.property.id)), services.now
    plan = None if found is None else read_record(PlacePlan, found)
    if plan is not None and now < plan.told_at + TOLD_EVERY:
        return
    services.log.alert(
        "a lock will have more keys than places",
        runbook="lock/places",
        because=f"{first['taken']} of {first['capacity']} places taken, {first['waiting']} keys wait",
        tenantId=store.tenant,
        property=setup.property.id,
        device=first["device"],
        capacity=first["capacity"],
        taken=first["taken"],
        waiting=first["waiting"],
        fillsAt=first["fills_at"],
    )
    told = (
        PlacePlan(property_id=setup.property.id, told_at=now) if plan is None else replace(plan, told_at=now)
    )
    with contextlib.suppress(AlreadyExists, StaleVersion):  # somebody else told it at this moment
        await told.saved(store)
