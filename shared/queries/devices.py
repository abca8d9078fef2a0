"""Locks as people see them: how each is, which door it is at, and what of the mapping is odd or unproven.

| the map shows | which are |
|---|---|
| rooms without a lock | rooms that no lock leads to |
| locks without a room | those that lead to no room, area or floor that is known, encoders left out |
| shared doors | locks that lead to several rooms |
| lifts | locks that lead to a floor and to no room |
| doubled | locks that bear the same name at their vendor |
| swapped | locks under whose name other hardware answers, or at whose door another one did |
| missing | locks that their vendor's list lacks |
| incapable | locks that are mapped with a keypad or reader that their vendor's list says they lack |
| unproven | locks at whose door nobody has typed a challenge since they were mapped to it |
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from shared.domain.device_health import Condition, Level
from shared.domain.ids import PropertyId
from shared.domain.instants import instant_to_text
from shared.domain.premises import LockDevice
from shared.ledger.device_record import DeviceRecord, device_record_from, kept_of, state_of
from shared.ledger.hotel_directory import HotelSetup, setup_of
from shared.ledger.indexes import DEVICES_AT, ROOMS
from shared.ledger.premises import premises_of
from shared.ledger.site import site_of
from shared.ports.documents import Ref, TenantDocuments
from shared.queries.hotels import Cell, every, properties

LEVELS: Final = {Level.GOOD: "good", Level.WARNING: "low", Level.CRITICAL: "critical"}
CLOCKS: Final = {Level.GOOD: "right", Level.WARNING: "off", Level.CRITICAL: "wrong"}


async def devices(cell: Cell, tenant: str | None) -> dict[str, Any]:
    """Return every lock and how it is."""
    shown = list[dict[str, Any]]()
    for store in await cell.known(tenant):
        for hotel in await properties(store):
            shown += await devices_at(store, hotel)
    return {"devices": shown}


async def devices_at(store: TenantDocuments, hotel: str) -> list[dict[str, Any]]:
    """Return a property's locks, and how each is."""
    setup = setup_of(await premises_of(store, hotel))
    known = await _records(store, setup)
    return [_device(store, each, known.get(str(each.id))) for each in setup.devices]


async def find_device(store: TenantDocuments, device: str) -> PropertyId | None:
    """Return where a lock is, or was before it was taken out of use; None if nobody ever heard of it."""
    mapped = await store.get(Ref("devices", device))
    if mapped is not None:
        return PropertyId(mapped.data["property_id"])
    record = await kept_of(store, device)
    return None if record is None else record.property_id


async def mapped(cell: Cell, tenant: str | None) -> dict[str, Any]:
    """Return, for each property, what of its rooms and locks does not fit, or was never proven."""
    maps = list[dict[str, Any]]()
    for store in await cell.known(tenant):
        maps += [await map_at(store, hotel) for hotel in await properties(store)]
    return {"maps": maps}


async def map_at(store: TenantDocuments, hotel: str) -> dict[str, Any]:
    """Return what of a property's rooms and locks does not fit, or was never proven."""
    setup = setup_of(await premises_of(store, hotel))
    known = await _records(store, setup)
    here = [room.ref.id async for room in every(store, ROOMS, {"property_id": hotel})]
    return {"tenant": store.tenant, "property": hotel, **_map(setup, here, known)}


async def _records(store: TenantDocuments, setup: HotelSetup) -> dict[str, DeviceRecord]:
    """Return what is kept of a property's locks, asked once for each vendor."""
    sites = {site_of(setup.property.id, each.vendor) for each in setup.devices}
    found = [each for site in sites async for each in every(store, DEVICES_AT, {"site": site})]
    return {each.ref.id: device_record_from(each) for each in found}


def _map(setup: HotelSetup, rooms: Sequence[str], known: Mapping[str, DeviceRecord]) -> dict[str, list[str]]:
    doors = [each for each in setup.devices if not each.encoder]
    names = Counter((each.vendor, each.vendor_device) for each in doors)
    mapped_here = [(each, known[each.id]) for each in setup.devices if each.id in known]
    kept, proven = [record for _, record in mapped_here], {m.id for m, it in mapped_here if it.proven(m)}
    leading = {room for door in doors for room in door.rooms}
    nowhere = [d for d in doors if not (set(d.rooms) & set(rooms) or d.areas or d.floor or d.back_of_house)]
    return {
        "rooms_without_a_lock": sorted(set(rooms) - leading),
        "locks_without_a_room": [str(each.id) for each in nowhere],
        "shared_doors": [str(each.id) for each in doors if len(each.rooms) > 1],
        "lifts": [str(each.id) for each in doors if each.floor and not each.rooms],
        "doubled": [str(each.id) for each in doors if names[each.vendor, each.vendor_device] > 1],
        "swapped": [str(each.id) for each in kept if each.swapped_at is not None],
        "missing": [str(each.id) for each in kept if each.missing_since is not None],
        "incapable": [str(each.id) for each, record in mapped_here if record.lacks(each)],
        "unproven": [str(each.id) for each in doors if each.id not in proven],
    }


def _device(store: TenantDocuments, device: LockDevice, record: DeviceRecord | None) -> dict[str, Any]:
    condition = Condition() if record is None else record.condition
    return {
        "device": str(device.id),
        "tenant": store.tenant,
        "property": device.property_id,
        "vendor": device.vendor,
        "vendor_device": device.vendor_device,
        "label": device.label,
        "rooms": list(map(str, device.rooms)),
        "state": state_of(record),
        "battery": condition.battery,
        "battery_level": LEVELS[Level(condition.battery_level)],
        "clock_skew_ms": condition.skew_ms,
        "clock": CLOCKS[Level(condition.skew_level)],
        "firmware": condition.firmware,
        "firmware_old": condition.firmware_old,
        "last_seen_at": _text(condition.last_seen_at),
        "lacks": [] if record is None else list(record.lacks(device)),
        "looked_at": _text(condition.looked_at),
        "proven_at": _text(None if record is None else record.proven(device)),
    }


def _text(at: datetime | None) -> str | None:
    return None if at is None else instant_to_text(at)
