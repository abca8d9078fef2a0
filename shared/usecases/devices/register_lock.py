"""A lock is mapped to a hotel: held against what is there, then looked at, which tells that it joined.

The same description twice changes nothing. What leads nowhere, is nobody's vendor, or names a lock that
another door has already, is refused before anything is kept: by the same check as a whole hotel. So is a lock
that is to lead to other rooms while it has keys: they would open the next guest's door.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.domain.documents import to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId, TenantId
from shared.domain.premises import LockDevice
from shared.keywork.services import Services
from shared.ledger.premises import change_hotel
from shared.ports.documents import Ref, TenantDocuments
from shared.usecases.attempts.begin_hearing import LOOK, HearDoors, begin_hearing
from shared.usecases.hotels.import_hotel import HotelPlan, check_elsewhere, check_keys, write_of


@dataclass(frozen=True, slots=True)
class RegisterLock:
    """A lock as its vendor names it, what it can do, and where it leads."""

    tenant: TenantId
    property_id: PropertyId
    lock: Mapping[str, Any]


async def register_lock(command: RegisterLock, services: Services) -> LockDeviceId:
    """Map a lock, and have it looked at; return its id."""
    store, place = await services.hotels.admit(command.tenant), command.property_id
    setup = await services.hotels.premises(command.tenant, place)
    told = {
        "property": to_document(setup.property),
        "rooms": await _rooms(command, store),
        "devices": [command.lock],
    }
    (lock,) = HotelPlan.of(place, told).devices
    _check_free(lock, setup.devices)
    await check_elsewhere(lock, store)
    for each in setup.devices:
        if each.id == lock.id:
            await check_keys(lock, each.rooms, store)
    write = await write_of(Ref("devices", lock.id), to_document(lock), place, store)
    if write is not None:
        await change_hotel(store, place, [write])
        services.hotels.forget(command.tenant)
    await begin_hearing(HearDoors(command.tenant, place, lock.vendor), services.sagas, LOOK)
    return lock.id


async def _rooms(command: RegisterLock, store: TenantDocuments) -> list[Mapping[str, Any]]:
    """Return those of the rooms it leads to that are rooms of the property."""
    named = command.lock.get("rooms", ())
    found = [await store.get(Ref("rooms", each)) for each in named if isinstance(each, str)]
    here = [each.data for each in found if each is not None]
    return [each for each in here if each.get("property_id") == command.property_id]


def _check_free(lock: LockDevice, known: Sequence[LockDevice]) -> None:
    """Refuse a lock that another door has, as its vendor names it."""
    for each in known:
        if each.id != lock.id and (each.vendor, each.vendor_device) == (lock.vendor, lock.vendor_device):
            remedy = f"Take {each.id} out of use first, or give its id to map it anew"
            raise InvalidInput("vendorDevice", "mapped already", remedy)
