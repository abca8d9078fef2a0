"""Keys of many that end at once, over HTTP: a property is closed, a lock goes out of use."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from functions.lock_api.places import AtPlace, as_state, cell_of, property_asked, store_of
from functions.lock_api.shown import At, shown
from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.permissions import Permission
from shared.events.wire import DeviceId, Maybe, Published
from shared.events.wire import PropertyId as InProperty
from shared.queries.bulk import list_bulk, shown_bulk
from shared.queries.found import find_device
from shared.queries.hotels import Unknown
from shared.runtime.asked import Asked
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.bulk.begin_bulk import BeginBulk, begin_bulk


class BulkRevocation(Published):
    """A revocation of many keys, and how far it is."""

    property: InProperty
    device: Maybe[DeviceId] = None
    stage: Literal["revoking", "removing", "done"]
    by: str
    began_at: At
    moved_at: At
    revoked: int
    """Keys that open nothing any more by our books."""
    removed: int
    """Of those, which their locks have let go."""
    residual: int
    """Of those, which a lock would not let go."""
    pages: int
    page: int
    left_on_page: int


class BulkRevocations(Published):
    """Revocations of many keys at a property, the newest first."""

    jobs: tuple[BulkRevocation, ...]


class Closing(Published):
    """What its caller says, so that no slip closes a house: the id of what is to be closed, once more."""

    confirm: Annotated[str, Field(min_length=5, max_length=80)]


async def list_bulk_revocations(asked: Asked, on: Platform) -> BulkRevocations:
    """Return the revocations of many keys at a property."""
    where = await property_asked(asked.query.property, asked, on)
    told = await list_bulk(cell_of(on), asked.principal.tenant)
    return BulkRevocations(jobs=tuple(_shown(each) for each in told["jobs"] if each["property"] == where))


async def property_bulk(asked: Asked, on: Platform) -> BulkRevocation:
    """Return how far the closing of a property is."""
    return await _job(asked.ids["propertyId"], asked, on)


async def device_bulk(asked: Asked, on: Platform) -> BulkRevocation:
    """Return how far the revocation of a lock's keys is."""
    device = asked.ids["deviceId"]
    asked.at(await _place_of(device, asked, on))
    return await _job(device, asked, on)


async def close_property(asked: Asked, on: Platform) -> BulkRevocation:
    """Close a property: no key is made there any more, and every one there is ends."""
    place = asked.ids["propertyId"]
    return await _begun({"property": place}, place, asked, on)


async def retire_device(asked: Asked, on: Platform) -> BulkRevocation:
    """Take a lock out of use: its guests' keys are replaced elsewhere, all others end."""
    device = asked.ids["deviceId"]
    place = await _place_of(device, asked, on)
    asked.at(place)
    return await _begun({"property": place, "device": device}, device, asked, on)


async def _begun(what: Mapping[str, Any], name: str, asked: Asked, on: Platform) -> BulkRevocation:
    if asked.body.confirm != name:
        raise InvalidInput(
            "confirm", "not the id in the path", "say the id of what is to be closed once more"
        )
    services = services_of(on)
    with as_state():
        command = BeginBulk.of({**what, "tenant": asked.principal.tenant, "by": asked.by}, services)
        await begin_bulk(command, services)
    return await _job(name, asked, on)


async def _place_of(device: str, asked: Asked, on: Platform) -> PropertyId:
    place = await find_device(store_of(asked, on), LockDeviceId(device))
    if place is None:
        raise NotThere("no such lock")
    return place


async def _job(name: str, asked: Asked, on: Platform) -> BulkRevocation:
    try:
        return _shown(await shown_bulk(cell_of(on), name, asked.principal.tenant))
    except Unknown:
        raise NotThere("no revocation of many keys there") from None


def _shown(told: Mapping[str, Any]) -> BulkRevocation:
    return shown(BulkRevocation, told)


_P: Final = Permission
_HOUSE: Final = "/lock/v1/properties/{propertyId}/bulk-revocation"
_LOCK: Final = "/lock/v1/devices/{deviceId}/bulk-revocation"
ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/bulk-revocations",
        summary="Revocations of many keys, and how far each is",
        use_case=list_bulk_revocations,
        query=AtPlace,
        answer=BulkRevocations,
        permission=_P.SAGA_READ,
    ),
    Route(
        method="GET",
        path=_HOUSE,
        summary="How far the closing of a property is",
        use_case=property_bulk,
        answer=BulkRevocation,
        permission=_P.SAGA_READ,
    ),
    Route(
        method="POST",
        path=_HOUSE,
        summary="Close a property, and end every key there",
        use_case=close_property,
        request=Closing,
        answer=BulkRevocation,
        permission=_P.BULK_REVOKE,
        status=202,
    ),
    Route(
        method="GET",
        path=_LOCK,
        summary="How far the revocation of a lock's keys is",
        use_case=device_bulk,
        answer=BulkRevocation,
        permission=_P.SAGA_READ,
    ),
    Route(
        method="POST",
        path=_LOCK,
        summary="Take a lock out of use: its guests' keys are replaced, others end",
        use_case=retire_device,
        request=Closing,
        answer=BulkRevocation,
        permission=_P.BULK_REVOKE,
        status=202,
    ),
)
