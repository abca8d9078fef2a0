"""Locks as things, over HTTP: seen, mapped, proven at the door, taken out of use."""

from typing import Annotated, Final, Literal

from pydantic import Field

from functions.lock_api.places import AtPlace, as_state, device_at, property_asked, store_of
from functions.lock_api.shown import At, KeyId, shown
from shared.domain.ids import LockDeviceId
from shared.domain.ids import PropertyId as AtProperty
from shared.domain.permissions import Permission
from shared.events.wire import (
    Area,
    DeviceId,
    Flag,
    Maybe,
    PropertyId,
    Published,
    RoomId,
    VendorCode,
    text,
)
from shared.queries.devices import devices_at, map_at
from shared.runtime.asked import Asked
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.devices import challenge, out_of_use
from shared.usecases.devices.register_lock import RegisterLock, register_lock

_VENDOR_DEVICE: Final = 64
_LABEL: Final = 80
_MOST: Final = 200


class Device(Published):
    """A lock: which door it is at, and how it is."""

    device: DeviceId
    property: PropertyId
    vendor: VendorCode
    vendor_device: str
    label: str
    rooms: tuple[RoomId, ...]
    state: Literal["never looked at", "swapped", "missing", "offline", "online"]
    battery: Maybe[int] = None
    battery_level: Literal["good", "low", "critical"]
    clock_skew_ms: Maybe[int] = None
    clock: Literal["right", "off", "wrong"]
    firmware: Maybe[str] = None
    firmware_old: Flag
    lacks: tuple[str, ...]
    """Keypads and readers that it is mapped with, and has not by its vendor's word."""
    last_seen_at: Maybe[At] = None
    looked_at: Maybe[At] = None
    proven_at: Maybe[At] = None
    """When somebody typed a challenge at its door last, and it opened."""


class Devices(Published):
    """A property's locks."""

    devices: tuple[Device, ...]


class DeviceMeant(Published):
    """A lock to map: as its vendor names it, what it can do, and where it leads."""

    id: Maybe[DeviceId] = None
    vendor: VendorCode
    vendor_device: Annotated[str, text(_VENDOR_DEVICE)]
    label: Annotated[str, text(_LABEL)]
    rooms: Annotated[tuple[RoomId, ...], Field(max_length=_MOST)] = ()
    areas: Annotated[tuple[Area, ...], Field(max_length=_MOST)] = ()
    floor: Annotated[Maybe[str], text(_LABEL)] = None
    back_of_house: Flag = False
    encoder: Flag = False
    capabilities: dict[str, bool] = Field(default_factory=dict, max_length=_MOST)


class Mapped(Published):
    """A lock that was mapped; how it is, the look tells that was begun."""

    device: DeviceId


class OutOfUse(Published):
    """Why a lock is taken out of use."""

    because: Annotated[str, text(out_of_use.LONGEST_REASON)]


class Left(Published):
    """A lock that left its hotel, until when its account must change, and keys that came to it meanwhile."""

    device: DeviceId
    rotate_by: At
    keys: tuple[KeyId, ...]


class Challenged(Published):
    """A code that proves a lock at its door: told once, and good for ten minutes."""

    device: DeviceId
    label: str
    code: str
    until: At


class Mapping(Published):
    """What of a property's rooms and locks does not fit together, or was never proven at the door."""

    property: PropertyId
    rooms_without_a_lock: tuple[RoomId, ...]
    locks_without_a_room: tuple[DeviceId, ...]
    shared_doors: tuple[DeviceId, ...]
    lifts: tuple[DeviceId, ...]
    doubled: tuple[DeviceId, ...]
    swapped: tuple[DeviceId, ...]
    missing: tuple[DeviceId, ...]
    incapable: tuple[DeviceId, ...]
    unproven: tuple[DeviceId, ...]


async def list_devices(asked: Asked, on: Platform) -> Devices:
    """Return a property's locks, and how each is."""
    place = await property_asked(asked.query.property, asked, on)
    return Devices(
        devices=tuple(shown(Device, each) for each in await devices_at(store_of(asked, on), place))
    )


async def get_device(asked: Asked, on: Platform) -> Device:
    """Return how a lock is that is mapped."""
    place = await device_at(asked.ids["deviceId"], asked, on)
    found = await devices_at(store_of(asked, on), place)
    it = next((each for each in found if each["device"] == asked.ids["deviceId"]), None)
    if it is None:
        raise NotThere("out of use")
    return shown(Device, it)


async def post_device(asked: Asked, on: Platform) -> Mapped:
    """Map a lock, and have it looked at."""
    place = AtProperty(asked.ids["propertyId"])
    told = asked.body.model_dump(exclude_none=True, mode="json")
    lock = await register_lock(RegisterLock(asked.principal.tenant, place, told), services_of(on))
    on.log.info("a lock was mapped by the API", property=place, deviceId=lock, by=asked.by)
    return Mapped(device=lock)


async def decommission(asked: Asked, on: Platform) -> Left:
    """Take a lock out of use, on a person's word."""
    device = LockDeviceId(asked.ids["deviceId"])
    await device_at(device, asked, on)
    command = out_of_use.TakeOutOfUse(asked.principal.tenant, device, asked.by, asked.body.because)
    with as_state():
        return shown(Left, await out_of_use.take_out_of_use(command, services_of(on)))


async def challenge_device(asked: Asked, on: Platform) -> Challenged:
    """Have a code put on a lock for some minutes, and tell it once."""
    device = LockDeviceId(asked.ids["deviceId"])
    place = await device_at(device, asked, on)
    command = challenge.ChallengeDoor(asked.principal.tenant, place, device, asked.by)
    codes = challenge.codes_of(command, on.sealed, on.cipher)
    with as_state():
        return shown(Challenged, await challenge.challenge_door(command, codes, services_of(on)))


async def get_mapping(asked: Asked, on: Platform) -> Mapping:
    """Return what of a property's mapping does not fit, or was never proven."""
    place = await property_asked(asked.query.property, asked, on)
    return shown(Mapping, await map_at(store_of(asked, on), place))


_P: Final = Permission
_ONE: Final = "/lock/v1/devices/{deviceId}"
ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/devices",
        summary="A property's locks, and how each is",
        use_case=list_devices,
        query=AtPlace,
        answer=Devices,
        permission=_P.DEVICE_READ,
    ),
    Route(
        method="GET",
        path=_ONE,
        summary="How a lock is",
        use_case=get_device,
        answer=Device,
        permission=_P.DEVICE_READ,
    ),
    Route(
        method="POST",
        path="/lock/v1/properties/{propertyId}/devices",
        summary="Map a lock",
        use_case=post_device,
        request=DeviceMeant,
        answer=Mapped,
        status=201,
        permission=_P.DEVICE_WRITE,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/decommission",
        summary="Take a lock out of use",
        use_case=decommission,
        request=OutOfUse,
        answer=Left,
        permission=_P.DEVICE_WRITE,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/challenge",
        summary="A code that proves a lock at its door",
        use_case=challenge_device,
        answer=Challenged,
        permission=_P.DEVICE_WRITE,
        remembered=False,
    ),
    Route(
        method="GET",
        path="/lock/v1/mapping",
        summary="What of rooms and locks does not fit",
        use_case=get_mapping,
        query=AtPlace,
        answer=Mapping,
        permission=_P.DEVICE_READ,
    ),
)
