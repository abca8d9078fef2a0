"""What a desk decides by: who can open a room, and whether those who come today will get in."""

from datetime import date
from typing import Annotated, Final, Literal

from pydantic import Field

from functions.lock_api.places import AtPlace, property_asked, store_of
from functions.lock_api.shown import At, GrantOrFindingId, KeyId, KeyState, shown
from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId as AtProperty
from shared.domain.ids import RoomId as OfRoom
from shared.domain.permissions import Permission
from shared.domain.window import zone_named
from shared.events.wire import (
    DeviceId,
    Flag,
    KeyKind,
    Maybe,
    PropertyId,
    Published,
    ReservationId,
    RoomId,
    SuspendReason,
    UserId,
    VendorCode,
)
from shared.queries.arrivals import arrivals
from shared.queries.coming import Span
from shared.queries.door_access import who_can_open
from shared.queries.hotels import properties
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.properties import setup_at
from shared.runtime.routes import Route

Readiness = Literal["none", "failed", "waiting", "resting", "accepted", "on_lock", "used"]
ROOM_OF_ONE: Final = "May be left out unless several properties that its caller sees have such a room."
_DATE: Final = "^[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"


class AccessWanted(Published):
    """At which property the room is."""

    property: Annotated[Maybe[PropertyId], Field(description=ROOM_OF_ONE)] = None


class ArrivalsWanted(AtPlace):
    """Which day of which property; without a day, today by the clock on its wall."""

    day: Annotated[Maybe[str], Field(pattern=_DATE)] = None


class ArrivalKey(Published):
    """A key of somebody who arrives."""

    id: KeyId
    state: KeyState
    kind: KeyKind
    readiness: Readiness


class Arrival(Published):
    """A stay that begins, and whether its guest will get in."""

    reservation: ReservationId
    rooms: tuple[RoomId, ...]
    arrives: At
    leaves: At
    readiness: Readiness
    """That of the door which knows least."""
    refused: Flag
    holds: tuple[SuspendReason, ...]
    keys: tuple[ArrivalKey, ...]
    at_risk: Flag
    next_rung: Maybe[Literal["mobile_app", "pin_code", "rfid_card", "escort"]] = None
    """What to try next for a guest at risk."""


class Arrivals(Published):
    """A day's arrivals, in their order."""

    property: PropertyId
    day: str
    zone: str
    arrivals: tuple[Arrival, ...]
    at_risk: tuple[ReservationId, ...]


class Opener(Published):
    """Something that opens a door, or may."""

    id: GrantOrFindingId
    key: Maybe[KeyId] = None
    device: DeviceId
    label: str
    vendor: VendorCode
    reservation: Maybe[ReservationId] = None
    staff: Maybe[UserId] = None
    kind: KeyKind
    opens: Literal["now", "perhaps", "later", "no"]
    because: str
    begins: Annotated[Maybe[At], Field(alias="from")] = None
    until: Maybe[At] = None


class Access(Published):
    """Everything that opens a room, or may; what opens it now comes first."""

    property: PropertyId
    room: RoomId
    openers: tuple[Opener, ...]


async def room_access(asked: Asked, on: Platform) -> Access:
    """Say who can open a room now, and until when."""
    room = OfRoom(asked.ids["roomId"])
    setups = [await setup_at(place, asked, on) for place in await _places(asked, on)]
    found = [each for each in setups if room in each.rooms]
    if not found:
        raise NotThere("no such room")
    if len(found) > 1:
        raise InvalidInput("property", "missing", "several of your properties have such a room: name one")
    (setup,) = found
    asked.at(setup.property.id)
    told = await who_can_open(store_of(asked, on), setup.doors([room]), on.clock.now())
    openers = tuple(shown(Opener, each) for each in told)
    return Access(property=setup.property.id, room=room, openers=openers)


async def _places(asked: Asked, on: Platform) -> list[AtProperty]:
    """Return the one of the caller's properties that is named, or all that are set up."""
    mine, named = asked.where(), asked.query.property
    if named is not None:
        return [AtProperty(named)] if mine is None or named in mine else []
    there = {AtProperty(each) for each in await properties(store_of(asked, on))}
    return sorted(there if mine is None else there & mine)


async def todays_arrivals(asked: Asked, on: Platform) -> Arrivals:
    """Say who arrives on a day, and whether their keys will open."""
    place = await property_asked(asked.query.property, asked, on)
    setup, now = await setup_at(place, asked, on), on.clock.now()
    zone = setup.property.zone
    day = _day(asked.query.day) if asked.query.day else now.astimezone(zone_named(zone)).date()
    told = await arrivals(store_of(asked, on), setup, Span.day(day, zone), now)
    coming = tuple(
        shown(Arrival, {**each, "keys": tuple(shown(ArrivalKey, key) for key in each["keys"])})
        for each in told
    )
    at_risk = tuple(each.reservation for each in coming if each.at_risk)
    return Arrivals(property=place, day=day.isoformat(), zone=zone, arrivals=coming, at_risk=at_risk)


def _day(text: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise InvalidInput("day", "no calendar has this day", "write it as 2026-05-01") from None
    if found.year > _LAST_YEAR:
        raise InvalidInput("day", "too far away", "name a day that somebody could book")
    return found


_LAST_YEAR: Final = 9000
ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/rooms/{roomId}/access",
        summary="Who can open this room, and until when",
        use_case=room_access,
        query=AccessWanted,
        answer=Access,
        permission=Permission.DOOR_READ,
    ),
    Route(
        method="GET",
        path="/lock/v1/arrivals",
        summary="Who arrives, and whether they will get in",
        use_case=todays_arrivals,
        query=ArrivalsWanted,
        answer=Arrivals,
        permission=Permission.KEY_READ,
    ),
)
