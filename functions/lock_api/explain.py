"""Why a door refused a guest, over HTTP: the causes in order, what the desk does, what the guest is told."""

from typing import Annotated, Final

from pydantic import Field

from functions.lock_api.places import store_of
from functions.lock_api.shown import At, Text, shown
from shared.domain.ids import LockDeviceId
from shared.domain.permissions import Permission
from shared.events.wire import DeviceId, Flag, Maybe, PropertyId, Published, ReservationId
from shared.queries.found import find_stay
from shared.queries.hotels import properties
from shared.queries.why_refused import AtDoor, why_refused
from shared.runtime.asked import Asked
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.operations.letters import set_aside_of
from shared.usecases.reconcile.ask_lock import Asking


class ExplainWanted(Published):
    """Whom the door refused, and whether the lock is to be asked now what keys it has."""

    reservation: ReservationId
    live: Flag | Annotated[str, Field(pattern="^(true|false)$")] = False


class Cause(Published):
    """One cause: what is known, what the desk does, and what the guest is told, in each language."""

    cause: str
    because: Text
    remedy: Text
    guest: dict[str, str]


class Explained(Published):
    """Why a door refused a guest, the first to be seen to on top."""

    reservation: ReservationId
    device: DeviceId
    label: str
    property: PropertyId
    asked_now: Flag
    """Whether the lock said just now which keys it has."""
    compared_at: Maybe[At] = None
    looked_at: Maybe[At] = None
    causes: tuple[Cause, ...]


async def explain(asked: Asked, on: Platform) -> Explained:
    """Say why a door refused the guest of a stay."""
    store, reservation = store_of(asked, on), asked.query.reservation
    at = await _door(asked, on)
    stay = await find_stay(store, reservation)
    if stay is not None and stay.property_id is not None:
        asked.at(stay.property_id)
    now = on.clock.now
    live = str(asked.query.live).lower() == "true"
    fresh = live and await Asking(on.documents, on.cell, on.sagas, services_of(on)).asked(
        asked.principal.tenant, at.setup.property.id, at.door
    )
    letters = await set_aside_of(asked.principal.tenant, reservation, on.dead_letters)
    told = await why_refused(store, at, reservation, letters, now())
    listed = tuple(shown(Cause, each) for each in told["causes"])
    return shown(Explained, {**told, "causes": listed, "asked_now": fresh})


async def _door(asked: Asked, on: Platform) -> AtDoor:
    device, mine = LockDeviceId(asked.ids["deviceId"]), asked.where()
    for place in await properties(store_of(asked, on)):
        if mine is not None and place not in mine:
            continue
        setup = await on.hotels.premises(asked.principal.tenant, place)
        for door in setup.devices:
            if door.id == device:
                asked.at(setup.property.id)
                return AtDoor(setup, door)
    raise NotThere("no such door")


ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/doors/{deviceId}/explain",
        summary="Why this door refused a guest",
        use_case=explain,
        query=ExplainWanted,
        answer=Explained,
        permission=Permission.DOOR_READ,
    ),
)
