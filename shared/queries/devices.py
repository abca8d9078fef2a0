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
| unproven | locks at whose door nobody has typed a challenge yet |
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from shared.domain.device_health import Condition, Level
from shared.domain.instants import instant_to_text
from shared.ledger.device_record import DEVICE_HEALTH, DeviceRecord, device_record_from
from shared.ledger.hotel_directory import HotelSetup, setup_of
from shared.ledger.indexes import ROOMS
from shared.ledger.premises import premises_of
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
    """Return a property's locks and how each is."""
    setup = setup_of(await premises_of(store, hotel))
    return [await _device(store, setup, number) for number in range(len(setup.devices))]


async def mapped(cell: Cell, tenant: str | None) -> dict[str, Any]:
    """Return, for each property, what of its rooms and locks does not fit, or was never proven."""
    maps = list[dict[str, Any]]()
    for store in await cell.known(tenant):
        for hotel in await properties(store):
            maps.append({"tenant": store.tenant, "property": hotel, **await mapping_at(store, hotel)})
    return {"maps": maps}


async def mapping_at(store: TenantDocuments, hotel: str) -> dict[str, list[str]]:
    """Return what of a property's rooms and locks does not fit, or was never proven."""
    setup = setup_of(await premises_of(store, hotel))
    known = [await record_of(store, each.id) for each in setup.devices]
    here = [room.ref.id async for room in every(store, ROOMS, {"property_id": hotel})]
    return _map(setup, here, known)


async def record_of(store: TenantDocuments, device: str) -> DeviceRecord | None:
    """Return what is kept of a lock besides where it hangs, if it was ever looked at."""
    found = await store.get(Ref(DEVICE_HEALTH, str(device)))
    return None if found is None else device_record_from(found)


def _map(
    setup: HotelSetup, rooms: Sequence[str], known: Sequence[DeviceRecord | None]
) -> dict[str, list[str]]:
    doors = [each for each in setup.devices if not each.encoder]
    names = Counter((each.vendor, each.vendor_device) for each in doors)
    kept = [each for each in known if each is not None]
    proven = {str(each.id) for each in kept if each.proven_at is not None}
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
        "unproven": [str(each.id) for each in doors if str(each.id) not in proven],
    }


async def _device(store: TenantDocuments, setup: HotelSetup, number: int) -> dict[str, Any]:
    device = setup.devices[number]
    record = await record_of(store, device.id)
    condition = Condition() if record is None else record.condition
    return {
        "device": str(device.id),
        "tenant": store.tenant,
        "property": setup.property.id,
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
        "looked_at": _text(condition.looked_at),
        "proven_at": _text(None if record is None else record.proven_at),
    }


def state_of(record: DeviceRecord | None) -> str:
    """Return how a lock stands, the worst first."""
    if record is None or record.condition.looked_at is None:
        return "never looked at"
    if record.swapped_at is not None:
        return "swapped"
    if record.missing_since is not None:
        return "missing"
    return "offline" if record.condition.silent_since is not None else "online"


def _text(at: datetime | None) -> str | None:
    return None if at is None else instant_to_text(at)
