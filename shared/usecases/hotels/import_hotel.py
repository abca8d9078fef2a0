"""A hotel is set up from one description: its property, rooms, locks and policy, checked as a whole first.

| in the description | kept already | then |
|---|---|---|
| a part | not | it is made |
| | otherwise | it is changed |
| | the same | nothing |
| nothing | a room or lock | it stays, and the report names it: a lock leaves by a person's word |

A lock without an id gets one that follows from its vendor's name for it, so that the same description brought
in twice changes nothing. Nothing is kept of a description that has a mistake, or that leads a lock with keys
to other rooms, or is mapped at another property: they would open the next guest's door. Decision 0096.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from shared.domain.capabilities import ABILITIES
from shared.domain.documents import from_document, to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import EventId, LockDeviceId, PropertyId, ulid
from shared.domain.policy import DEFAULT_POLICY
from shared.domain.premises import LockDevice, Property, Room
from shared.domain.stored import Documented
from shared.ledger.indexes import LOCKS_NAMED
from shared.ledger.premises import change_hotel, premises_of
from shared.ports.documents import Create, Ref, TenantDocuments, Update
from shared.usecases.devices.out_of_use import check_empty
from shared.usecases.hotels.reload_policy import ReloadPolicy, reload_policy
from shared.vendor_kit.registry import installed_vendors, names_locks_worldwide

MOST_AT_ONCE: Final = 300
MOST_PARTS: Final = 5000
MOST_HOUSES: Final = 50
"""More houses than share a door."""
_BITS: Final = 80


@dataclass(frozen=True, slots=True)
class HotelPlan:
    """One property as it is to be."""

    property: Property
    rooms: tuple[Room, ...]
    devices: tuple[LockDevice, ...]
    policy: Mapping[str, Any]

    @classmethod
    def of(cls, property_id: PropertyId, told: Mapping[str, Any]) -> "HotelPlan":
        """Read a description, field by field."""
        hotel = _read(Property, {"id": property_id, **_mapping(told, "property")}, "property")
        rooms = [{"property_id": property_id, **each} for each in _parts(told, "rooms")]
        devices = [_device(each, property_id, told) for each in _parts(told, "devices")]
        plan = cls(
            hotel,
            tuple(_read(Room, each, f"rooms[{number}]") for number, each in enumerate(rooms)),
            tuple(_read(LockDevice, each, f"devices[{number}]") for number, each in enumerate(devices)),
            _mapping(told, "policy"),
        )
        plan.check_place(property_id)
        plan.check()
        return plan

    def check_place(self, property_id: PropertyId) -> None:
        """Refuse a part that says it is another property's: whoever sends it was let in at this one."""
        said = {"property.id": self.property.id}
        said |= {f"rooms[{number}].property_id": each.property_id for number, each in enumerate(self.rooms)}
        for field, place in said.items():
            if place != property_id:
                raise InvalidInput(field, "another property", "Leave it out, or name the one that is set up")

    def check(self) -> None:
        """Refuse what contradicts itself, names nobody's vendor, or leads to rooms that are not there."""
        DEFAULT_POLICY.with_settings(self.policy)
        for name, ids in (("rooms", [r.id for r in self.rooms]), ("devices", [d.id for d in self.devices])):
            if twice := [each for each, count in Counter(ids).items() if count > 1]:
                raise InvalidInput(name, f"{twice[0]} is there twice", "Give each id once")
        at_vendor = Counter((each.vendor, each.vendor_device) for each in self.devices)
        if doubled := [name for (_, name), count in at_vendor.items() if count > 1]:
            raise InvalidInput("devices", f"vendor_device {doubled[0]} is there twice", "Map each lock once")
        known, rooms = set(installed_vendors()), {each.id for each in self.rooms}
        for device in self.devices:
            if device.vendor not in known:
                remedy = f"Name one of {', '.join(sorted(known))}"
                raise InvalidInput(f"devices.{device.label}.vendor", "no vendor of ours", remedy)
            if missing := [each for each in device.rooms if each not in rooms]:
                problem = f"{missing[0]} is none of the rooms"
                raise InvalidInput(f"devices.{device.label}.rooms", problem, "Add the room, or correct it")

    def documents(self) -> list[tuple[Ref, Documented]]:
        """Return where each part is kept, the property first."""
        return [
            (Ref("properties", self.property.id), self.property),
            *((Ref("rooms", each.id), each) for each in self.rooms),
            *((Ref("devices", each.id), each) for each in self.devices),
        ]


async def import_hotel(
    plan: HotelPlan, event_id: EventId, at: datetime, store: TenantDocuments
) -> dict[str, Any]:
    """Set a hotel up as it is described, and say what that changed and what does not fit."""
    before = await premises_of(store, plan.property.id)
    for lock in plan.devices:
        if str(lock.id) in before.devices:
            await check_keys(lock, before.devices[str(lock.id)]["rooms"], store)
        await check_elsewhere(lock, store)
    writes = [each async for each in _writes(plan, store)]
    for first in range(0, len(writes), MOST_AT_ONCE):
        await change_hotel(store, plan.property.id, writes[first : first + MOST_AT_ONCE])
    if plan.policy:
        await reload_policy(ReloadPolicy(plan.policy, event_id, at, plan.property.id), store)
    mine = {str(each.id) for each in plan.devices}
    counts = Counter("created" if isinstance(each, Create) else "changed" for each in writes)
    return {
        "property": plan.property.id,
        "created": counts["created"],
        "changed": counts["changed"],
        "unchanged": len(plan.documents()) - len(writes),
        "not_in_file": sorted(name for name in before.devices if name not in mine),
        **_mapping_report(plan),
    }


async def check_keys(lock: LockDevice, rooms: Iterable[str], store: TenantDocuments) -> None:
    """Refuse other rooms for a lock whose keys were made for those that it leads to now.

    One more room behind a door of several is none of these: keys there get nobody into another guest's room.
    """
    before, after = {*rooms}, {*lock.rooms}
    one_more = before < after and len(before) > 1
    if before != after and not one_more:
        await check_empty(lock.id, store)


async def check_elsewhere(lock: LockDevice, store: TenantDocuments) -> None:
    """Refuse a lock that is mapped at another property, unless it is a door that both houses share.

    What leads to one room is that room's lock; two houses would each let their guests in.
    """
    if not names_locks_worldwide(lock.vendor):
        return
    named = {"vendor": str(lock.vendor), "vendor_device": lock.vendor_device}
    for each in await store.query(LOCKS_NAMED, named, limit=MOST_HOUSES):
        other = each.data
        shared = min(len(lock.rooms), len(other["rooms"])) > 1
        if other["property_id"] != lock.property_id and not shared:
            problem = f"{lock.vendor_device} is mapped at {other['property_id']} already, as {each.ref.id}"
            remedy = "Take it out of use there first; only a door of several rooms may be of two houses"
            raise InvalidInput("vendorDevice", problem, remedy)


async def _writes(plan: HotelPlan, store: TenantDocuments) -> Any:
    for ref, part in plan.documents():
        write = await write_of(ref, to_document(part), plan.property.id, store)
        if write is not None:
            yield write


async def write_of(
    ref: Ref, data: Mapping[str, Any], property_id: PropertyId, store: TenantDocuments
) -> Create | Update | None:
    """Return what keeps a part of a hotel as it is described; None where it is kept so already."""
    kept = await store.get(ref)
    if kept is None:
        return Create(ref, data)
    if kept.data.get("property_id", property_id) != property_id:
        raise InvalidInput(ref.collection, f"{ref.id} is another property's", "Give it another id")
    return None if kept.data == data else Update(ref, data, kept.version)


def _mapping_report(plan: HotelPlan) -> dict[str, list[str]]:
    leading = [room for each in plan.devices for room in each.rooms]
    own = Counter(room for each in plan.devices if len(each.rooms) == 1 for room in each.rooms)
    return {
        "rooms_without_lock": sorted(str(each.id) for each in plan.rooms if each.id not in leading),
        "rooms_without_own_lock": sorted(str(each.id) for each in plan.rooms if not own[each.id]),
        "shared_doors": sorted(each.label for each in plan.devices if len(each.rooms) > 1),
    }


def _device(told: Mapping[str, Any], property_id: PropertyId, whole: Mapping[str, Any]) -> dict[str, Any]:
    defaults = _mapping(whole, "device_defaults")
    able = {**_mapping(defaults, "capabilities"), **_mapping(told, "capabilities")}
    device = {**defaults, **told, "property_id": property_id}
    device["capabilities"] = dict.fromkeys(ABILITIES, False) | able
    named = f"{property_id}|{device.get('vendor')}|{device.get('vendor_device')}"
    drawn = int.from_bytes(hashlib.sha256(named.encode()).digest()[:10])
    device.setdefault("id", LockDeviceId.mint(ulid(0, drawn & ((1 << _BITS) - 1))))
    return device


def _read(kind: Any, part: Mapping[str, Any], field: str) -> Any:
    try:
        return from_document(kind, {"schema_version": kind.schema_version, **part}, strict=True)
    except InvalidInput as refusal:
        raise InvalidInput(f"{field}.{refusal.field}", refusal.problem, refusal.remedy) from None


def _mapping(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = told.get(name, {})
    if not isinstance(found, Mapping):
        raise InvalidInput(name, "not an object", "Give its fields by name")
    return found


def _parts(told: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    found = told.get(name, [])
    if not isinstance(found, Sequence) or isinstance(found, str) or len(found) > MOST_PARTS:
        raise InvalidInput(name, f"no list of up to {MOST_PARTS}", "Give a list")
    for number, each in enumerate(found):
        if not isinstance(each, Mapping):
            raise InvalidInput(f"{name}[{number}]", "not an object", "Give its fields by name")
        yield each
