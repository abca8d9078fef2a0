"""How a hotel is set up, over HTTP: shown, and brought in with a report of what does not fit."""

from typing import Annotated, Any, Final

from pydantic import Field

from functions.lock_api.places import store_of
from shared.domain.ids import PropertyId
from shared.domain.permissions import Permission
from shared.events.wire import Area, DeviceId, Flag, Published, RoomId, VendorCode, text
from shared.events.wire import PropertyId as OfProperty
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.properties import setup_at
from shared.runtime.routes import Route
from shared.usecases.hotels.import_hotel import HotelPlan, import_hotel

Label = Annotated[str, text(80)]


class Door(Published):
    """A lock: whose it is, what its vendor calls it, and where it leads."""

    id: DeviceId
    vendor: VendorCode
    vendor_device: str
    label: str
    rooms: tuple[RoomId, ...]
    areas: tuple[Area, ...]
    back_of_house: Flag
    encoder: Flag
    capabilities: tuple[str, ...]


class Hotel(Published):
    """A property as it is set up."""

    property: OfProperty
    name: str
    zone: str
    doors: tuple[Door, ...]


class HotelWanted(Published):
    """A property as it is to be: the same parts as in the file that `keyfleet hotel import` reads."""

    property: dict[str, Any]
    rooms: Annotated[tuple[dict[str, Any], ...], Field(max_length=5000)] = ()
    devices: Annotated[tuple[dict[str, Any], ...], Field(max_length=5000)] = ()
    device_defaults: dict[str, Any] = Field(default_factory=dict)
    policy: dict[str, Any] = Field(default_factory=dict)


class Imported(Published):
    """What bringing a hotel in has changed, and what of its mapping somebody should look at."""

    property: OfProperty
    created: int
    changed: int
    unchanged: int
    not_in_file: tuple[str, ...]
    rooms_without_lock: tuple[RoomId, ...]
    rooms_without_own_lock: tuple[RoomId, ...]
    shared_doors: tuple[Label, ...]


async def get_hotel(asked: Asked, on: Platform) -> Hotel:
    """Return a property as it is set up."""
    place = PropertyId(asked.ids["propertyId"])
    setup = await setup_at(place, asked, on)
    doors = tuple(
        Door(
            id=each.id,
            vendor=each.vendor,
            vendor_device=each.vendor_device,
            label=each.label,
            rooms=each.rooms,
            areas=tuple(area.value for area in each.areas),
            back_of_house=each.back_of_house,
            encoder=each.encoder,
            capabilities=tuple(each.capabilities.names),
        )
        for each in setup.devices
    )
    return Hotel(property=place, name=setup.property.name, zone=setup.property.zone, doors=doors)


async def put_hotel(asked: Asked, on: Platform) -> Imported:
    """Set a property up as it is described."""
    place = PropertyId(asked.ids["propertyId"])
    told = asked.body.model_dump(mode="json")
    report = await import_hotel(
        HotelPlan.of(place, told), asked.event_id, on.clock.now(), store_of(asked, on)
    )
    on.hotels.forget(asked.principal.tenant)
    on.log.info("a hotel was set up by the API", property=place, by=asked.by)
    return Imported.model_validate(report)


_ONE: Final = "/lock/v1/properties/{propertyId}/setup"
ROUTES: Final = (
    Route(
        method="GET",
        path=_ONE,
        summary="How a hotel is set up",
        use_case=get_hotel,
        answer=Hotel,
        permission=Permission.HOTEL_READ,
    ),
    Route(
        method="PUT",
        path=_ONE,
        summary="Set a hotel up, and hear what of its mapping does not fit",
        use_case=put_hotel,
        request=HotelWanted,
        answer=Imported,
        permission=Permission.HOTEL_WRITE,
    ),
)
