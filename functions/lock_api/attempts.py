"""Who tried which door, over HTTP, and what in that somebody should look at."""

from typing import Annotated, Final, Literal

from pydantic import Field

from functions.lock_api.places import (
    AtPlace,
    cell_of,
    device_at,
    key_at_named,
    property_asked,
    property_or,
)
from functions.lock_api.shown import At, KeyId, Text, shown
from shared.domain.errors import InvalidInput
from shared.domain.permissions import Permission
from shared.events.wire import AttemptId, DeviceId, Flag, Maybe, PropertyId, Published, VendorCode
from shared.queries.attempts import AttemptsWanted, last_anomalies, last_attempts
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.routes import Route

_MOST: Final = 200


class AttemptsMeant(Published):
    """Whose attempts: with a key, at a lock, or at all doors of a property; the newest, up to so many."""

    property: Annotated[Maybe[PropertyId], property_or("device", "key")] = None
    device: Maybe[DeviceId] = None
    key: Maybe[KeyId] = None
    limit: Annotated[int, Field(ge=1, le=_MOST)] = 50


class AnomaliesMeant(AtPlace):
    """At which property; the newest, up to so many."""

    limit: Annotated[int, Field(ge=1, le=_MOST)] = 50


class AttemptShown(Published):
    """Somebody tried a door: with what, with which key as far as anybody knows, and what came of it."""

    attempt: AttemptId
    property: PropertyId
    device: DeviceId
    label: Maybe[str] = None
    vendor: VendorCode
    at: At
    heard_at: At
    opened: Flag
    means: Literal["pin", "card", "app", "qr", "other"]
    key: Maybe[KeyId] = None
    staff: Flag
    refused: Maybe[str] = None
    alarm: Maybe[str] = None


class Attempts(Published):
    """Attempts at doors, the newest first."""

    attempts: tuple[AttemptShown, ...]
    more: Flag


class AnomalyShown(Published):
    """Something that somebody should look at, and the attempts that show it."""

    anomaly: str
    kind: str
    property: PropertyId
    device: DeviceId
    label: Maybe[str] = None
    at: At
    said: Text
    key: Maybe[KeyId] = None
    attempts: tuple[AttemptId, ...]


class Anomalies(Published):
    """What is odd in the attempts at doors, the newest first."""

    anomalies: tuple[AnomalyShown, ...]
    more: Flag


async def list_attempts(asked: Asked, on: Platform) -> Attempts:
    """Return who tried which door."""
    told = await last_attempts(cell_of(on), await _wanted(asked, on))
    found = tuple(shown(AttemptShown, each) for each in told["attempts"])
    return Attempts(attempts=found, more=told["more"])


async def list_anomalies(asked: Asked, on: Platform) -> Anomalies:
    """Return what in the attempts at a property's doors is odd."""
    place = await property_asked(asked.query.property, asked, on)
    told = await last_anomalies(cell_of(on), asked.principal.tenant, asked.query.limit, place)
    found = tuple(shown(AnomalyShown, each) for each in told["anomalies"])
    return Anomalies(anomalies=found, more=told["more"])


async def _wanted(asked: Asked, on: Platform) -> AttemptsWanted:
    """Return whose attempts are asked for, once it is known that their caller works there."""
    query, tenant = asked.query, asked.principal.tenant
    if query.key is not None:
        await key_at_named(query.key, asked, on)
    elif query.device is not None:
        await device_at(query.device, asked, on)
    else:
        place = await property_asked(query.property, asked, on)
        return AttemptsWanted(tenant, place, limit=query.limit)
    if query.key is not None and query.device is not None:
        raise InvalidInput("key", "given beside a device", "Ask for the attempts of a key, or at a lock")
    return AttemptsWanted(tenant, device=query.device, key=query.key, limit=query.limit)


ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/attempts",
        summary="Who tried which door",
        use_case=list_attempts,
        query=AttemptsMeant,
        answer=Attempts,
        permission=Permission.DOOR_READ,
    ),
    Route(
        method="GET",
        path="/lock/v1/anomalies",
        summary="What in the attempts at doors is odd",
        use_case=list_anomalies,
        query=AnomaliesMeant,
        answer=Anomalies,
        permission=Permission.DOOR_READ,
    ),
)
