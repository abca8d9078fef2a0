"""Where a thing is that a caller asks about: found first, and shown or changed only to whom works there."""

from typing import Annotated, Any, Final

from pydantic import Field

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId
from shared.events.wire import Maybe, Published
from shared.events.wire import PropertyId as InProperty
from shared.ports.documents import TenantDocuments
from shared.queries.devices import find_device
from shared.queries.found import FoundKey, FoundStay, find_key, find_stay
from shared.queries.hotels import Cell, has_property, properties
from shared.runtime import problems
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere

as_state = problems.as_state
LEFT_OUT: Final = "May be left out by whoever sees one property only"
SEVERAL: Final = "name one property, or what the description has instead: you work at none, or at several"


def property_or(*instead: str) -> Any:
    """Return a list's property as its readers are told of it: they must name it, or something instead."""
    return Field(description="".join([LEFT_OUT, *(f", or names a `{each}`" for each in instead), "."]))


class AtPlace(Published):
    """At which property."""

    property: Annotated[Maybe[InProperty], property_or()] = None


def store_of(asked: Asked, on: Platform) -> TenantDocuments:
    """Return the documents of the caller's tenant."""
    return on.documents.tenant(asked.principal.tenant)


def cell_of(on: Platform) -> Cell:
    """Return the cell, for what looks among its tenants."""
    return Cell(on.documents, on.cell)


async def key_at(asked: Asked, on: Platform) -> FoundKey:
    """Return the key that the path names, if its caller works where it is."""
    return await key_at_named(asked.ids["keyCredentialId"], asked, on)


async def key_at_named(key: str, asked: Asked, on: Platform) -> FoundKey:
    """Return a key, if its caller works where it is."""
    found = await find_key(store_of(asked, on), key)
    if found is None:
        raise NotThere("no such key")
    asked.at(found.property_id)
    return found


async def device_at(device: str, asked: Asked, on: Platform) -> PropertyId:
    """Return where a lock is, if its caller works there."""
    place = await find_device(store_of(asked, on), device)
    if place is None:
        raise NotThere("no such lock")
    asked.at(place)
    return place


async def stay_at(asked: Asked, on: Platform) -> FoundStay:
    """Return the stay that the path names, if its caller works where it is."""
    found = await stay_named(asked.ids["reservationId"], asked, on)
    if found is None:
        raise NotThere("no such stay")
    return found


async def stay_named(reservation: str, asked: Asked, on: Platform) -> FoundStay | None:
    """Return a stay, None if nobody ever heard of it, and refuse one that is elsewhere."""
    found = await find_stay(store_of(asked, on), reservation)
    if found is None:
        return None
    if found.property_id is not None:
        asked.at(found.property_id)
    elif asked.where() is not None:
        raise NotThere("a stay of which nobody has said where it is")
    return found


async def property_asked(named: str | None, asked: Asked, on: Platform) -> PropertyId:
    """Return the property that is named, or the only one at which its caller works."""
    mine = asked.where()
    if named is not None:
        asked.at(PropertyId(named))
        # Else nothing would be listed at a name that was mistyped, as where all is well.
        if mine is None and not await has_property(store_of(asked, on), named):
            raise NotThere("no such property")
        return PropertyId(named)
    among = sorted(mine) if mine is not None else await properties(store_of(asked, on))
    if len(among) != 1:
        raise InvalidInput("property", "missing", SEVERAL)
    return PropertyId(among[0])
