"""Stays over HTTP, for hotels without a reservation-service and for the desk: booked, changed, held, ended.

Each change is an event of the booking, as reservation-service would tell it, whose id is the request's: what
becomes of it is decided where all such events are decided, and a request that comes again is heard once.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Final

from pydantic import Field

from functions.lock_api.places import as_state, stay_at, stay_named, store_of
from functions.lock_api.shown import Heard, Stay, StayKey, shown
from shared.domain.ids import PropertyId, ReservationId
from shared.domain.kinds import SuspendReason as Reason
from shared.domain.permissions import Permission
from shared.events.wire import (
    Area,
    Count,
    GuestId,
    Instant,
    KeyKind,
    Maybe,
    Published,
    Rooms,
    SuspendReason,
    text,
)
from shared.events.wire import PropertyId as InProperty
from shared.events.wire import ReservationId as OfReservation
from shared.queries.found import FoundStay
from shared.queries.stays import stay_as_shown
from shared.runtime.asked import Answered, Asked
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.runtime.problems import NotNow, NotThere
from shared.runtime.properties import setup_at
from shared.runtime.routes import Route
from shared.usecases.stays import hold_stay as holding
from shared.usecases.stays.tell_stay import NothingChanged, StayWord, guest_of, tell_stay


class ContactOf(Published):
    """How a guest can be reached; it is sealed, and shown nowhere."""

    email: Annotated[Maybe[str], Field(min_length=3, max_length=254, pattern="^[^@ ]+@[^@ ]+$")] = None
    phone_e164: Annotated[Maybe[str], Field(alias="phoneE164", pattern=r"^\+[1-9][0-9]{6,14}$")] = None


class Coming(Published):
    """Who comes; without an id, the guest gets one."""

    id: Maybe[GuestId] = None
    display_name: Annotated[Maybe[str], text(200)] = None
    locale: Annotated[Maybe[str], text(35)] = None
    contact: Maybe[ContactOf] = None


class Included(Published):
    """What a stay includes besides its rooms."""

    floors: Annotated[tuple[Annotated[str, text(32)], ...], Field(max_length=100)] = ()
    areas: Annotated[tuple[Area, ...], Field(max_length=5)] = ()


class StayWanted(Published):
    """A stay to be booked, or as it is to be from now on."""

    reservation: Maybe[OfReservation] = None
    property: InProperty
    rooms: Rooms
    valid_from: Instant
    valid_until: Instant
    guest: Coming = Coming()
    party_size: Maybe[Count] = None
    preferred_kinds: Annotated[tuple[KeyKind, ...], Field(max_length=5)] = ()
    scope: Maybe[Included] = None
    version: Maybe[Count] = None


class StayChanged(Published):
    """Other rooms or times of a stay; what is left out stays as it is."""

    rooms: Maybe[Rooms] = None
    valid_from: Maybe[Instant] = None
    valid_until: Maybe[Instant] = None
    version: Maybe[Count] = None


class StayEnded(Published):
    """The end of a stay, before its time or at it."""

    version: Maybe[Count] = None


class StayHeld(Published):
    """Why a stay is held, or no longer held."""

    reason: SuspendReason = "manual"


async def get_stay(asked: Asked, on: Platform) -> Answered:
    """Return a stay as it is, and what was made of each of its events."""
    return await _shown(await stay_at(asked, on), asked, on)


async def book_stay(asked: Asked, on: Platform) -> Answered:
    """Book a stay, or say how a booked one is now: its keys are made, or follow."""
    wanted: StayWanted = asked.body
    asked.at(PropertyId(wanted.property))
    reservation = ReservationId(wanted.reservation or f"rsv_{_own(asked)}")
    await stay_named(reservation, asked, on)
    guest = wanted.guest.model_dump(mode="json", by_alias=True, exclude_none=True)
    known = await guest_of(asked.principal.tenant, reservation, services_of(on))
    guest = {"id": known or f"gst_{_own(asked)}", **guest}
    said = _said(wanted, "guest", "property", "reservation")
    return await _told(
        "confirmed", reservation, {**said, "propertyId": wanted.property, "guest": guest}, asked, on
    )


async def change_stay(asked: Asked, on: Platform) -> Answered:
    """Give a stay other rooms or times: its keys follow, with the same PIN where they can."""
    return await _told_of_known("dates_changed", asked, on)


async def check_out(asked: Asked, on: Platform) -> Answered:
    """End a stay whose guest left: its keys open nothing any more."""
    return await _told_of_known("checked_out", asked, on)


async def cancel_stay(asked: Asked, on: Platform) -> Answered:
    """End a stay that is off."""
    return await _told_of_known("cancelled", asked, on)


async def hold_stay(asked: Asked, on: Platform) -> Answered:
    """Let the keys of a stay rest for a reason."""
    order = await _order(asked, on)
    with as_state():
        await holding.hold_stay(order, services_of(on))
    return await _shown(await stay_at(asked, on), asked, on)


async def release_stay(asked: Asked, on: Platform) -> Answered:
    """Take a reason away: the keys wake when none is left."""
    order = await _order(asked, on)
    with as_state():
        await holding.release_stay(order, services_of(on))
    return await _shown(await stay_at(asked, on), asked, on)


async def _order(asked: Asked, on: Platform) -> holding.StayOrder:
    found = await stay_at(asked, on)
    asked.expects(found.version)
    return holding.StayOrder(asked.principal.tenant, found.id, Reason(asked.body.reason), asked.by)


async def _told_of_known(how: str, asked: Asked, on: Platform) -> Answered:
    found = await stay_at(asked, on)
    asked.expects(found.version)
    return await _told(how, found.id, _said(asked.body), asked, on)


async def _told(
    how: str, reservation: ReservationId, data: Mapping[str, Any], asked: Asked, on: Platform
) -> Answered:
    """Tell what is wanted of a stay, and say how it is then."""
    at = asked.since or asked.now
    word = StayWord(how, reservation, data, asked.principal.tenant, asked.event_id, at, asked.by, asked.trace)
    try:
        await tell_stay(word, on.cipher, services_of(on))
    except NothingChanged as refusal:
        raise NotNow(str(refusal)) from None
    found = await stay_named(reservation, asked, on)
    if found is None:
        raise NotThere("no such stay")
    return await _shown(found, asked, on)


async def _shown(found: FoundStay, asked: Asked, on: Platform) -> Answered:
    told = await stay_as_shown(store_of(asked, on), found.record, await _zone(found.property_id, asked, on))
    keys = tuple(shown(StayKey, each) for each in told["keys"])
    heard = tuple(shown(Heard, each) for each in told["heard"])
    return Answered(shown(Stay, {**told, "keys": keys, "heard": heard}), version=found.version)


async def _zone(place: PropertyId | None, asked: Asked, on: Platform) -> str | None:
    """Return the clock on the wall of a stay's property, if it is one that is set up."""
    with suppress(NotThere):
        return None if place is None else (await setup_at(place, asked, on)).property.zone
    return None


def _said(wanted: Published, *but: str) -> dict[str, Any]:
    return wanted.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=set(but))


def _own(asked: Asked) -> str:
    """Return what names a thing after the request that made it."""
    return str(asked.event_id).removeprefix("evt_")


_P: Final = Permission
_ONE: Final = "/lock/v1/stays/{reservationId}"
ROUTES: Final = (
    Route(
        method="POST",
        path="/lock/v1/stays",
        summary="Book a stay, or say how it is now; its keys follow",
        use_case=book_stay,
        request=StayWanted,
        answer=Stay,
        permission=_P.KEY_ISSUE,
    ),
    Route(
        method="GET",
        path=_ONE,
        summary="A stay, its keys, and what was heard of it",
        use_case=get_stay,
        answer=Stay,
        permission=_P.KEY_READ,
    ),
    Route(
        method="PATCH",
        path=_ONE,
        summary="Give a stay other rooms or times",
        use_case=change_stay,
        request=StayChanged,
        answer=Stay,
        permission=_P.KEY_EXTEND,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/check-out",
        summary="The guest left: end the stay's keys",
        use_case=check_out,
        request=StayEnded,
        answer=Stay,
        permission=_P.KEY_REVOKE,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/cancel",
        summary="The stay is off: end its keys",
        use_case=cancel_stay,
        request=StayEnded,
        answer=Stay,
        permission=_P.KEY_REVOKE,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/hold",
        summary="Let a stay's keys rest",
        use_case=hold_stay,
        request=StayHeld,
        answer=Stay,
        permission=_P.KEY_SUSPEND,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/release",
        summary="Take a reason away: keys wake when none is left",
        use_case=release_stay,
        request=StayHeld,
        answer=Stay,
        permission=_P.KEY_SUSPEND,
    ),
)
