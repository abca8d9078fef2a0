"""A PIN in plain digits, over HTTP: by POST, of one key, for whom it may be and who signed in just now."""

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from shared.domain.permissions import Permission
from shared.events.wire import Published, RoomId
from shared.queries.found import find_key
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotNow, NotThere, TooMany
from shared.runtime.routes import Route
from shared.usecases.audit.services import AuditServices
from shared.usecases.reveal.reveal_pin import LookedTooOften, NothingToSee, RevealPin, reveal_pin

Reason = Literal["guest_forgot", "message_not_received", "accessibility", "door_trouble", "emergency"]


class RevealWanted(Published):
    """Why somebody has to see the PIN."""

    reason: Reason


class Revealed(Published):
    """A PIN, the rooms it opens, and the id under which the look stands in the audit log."""

    pin: Annotated[str, StringConstraints(pattern="^[0-9]{4,12}$")] = Field(repr=False)
    rooms: tuple[RoomId, ...]
    disclosure: str


async def reveal(asked: Asked, on: Platform) -> Revealed:
    """Show the PIN of one key, once the look is noted."""
    tenant = asked.principal.tenant
    found = await find_key(on.documents.tenant(tenant), asked.ids["keyCredentialId"])
    if found is None:
        raise NotThere("no such key")
    asked.at(found.property_id)
    command = RevealPin(tenant, found.id, asked.by, asked.body.reason)
    try:
        shown = await reveal_pin(command, AuditServices.on(on))
    except NothingToSee as refusal:
        raise NotNow(str(refusal)) from None
    except LookedTooOften as refusal:
        raise TooMany(str(refusal)) from None
    rooms = tuple(shown.record.credential.core.rooms)
    return Revealed(pin=shown.pin.reveal(), rooms=rooms, disclosure=shown.note)


ROUTES: Final = (
    Route(
        method="POST",
        path="/lock/v1/credentials/{keyCredentialId}/reveal",
        summary="See the PIN of one key, for a reason",
        use_case=reveal,
        request=RevealWanted,
        answer=Revealed,
        permission=Permission.PIN_REVEAL,
        remembered=False,
    ),
)
