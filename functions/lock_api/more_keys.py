"""More keys of a stay over HTTP: one that opens its room once, and the room's backup code."""

from typing import Annotated, Final

from pydantic import Field

from functions.lock_api.places import as_state, key_at, stay_at
from functions.lock_api.shown import KeyId
from shared.domain.ids import RoomId as OfRoom
from shared.domain.kinds import KeyCredentialKind
from shared.domain.permissions import Permission
from shared.events.wire import KeyKind, Maybe, Published, ReservationId, RoomId, text
from shared.runtime.asked import Asked
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.runtime.routes import Route
from shared.usecases.backups.hand_out_backup import LONGEST_REASON, BackupOrder, hand_out_backup
from shared.usecases.upkeep.copy_key import CopyOrder, copy_key


class OnceWanted(Published):
    """Of which kind first a key is to be that opens once."""

    kind: Maybe[KeyKind] = None


class OnceMade(Published):
    """A key, and the one beside it that opens its room once."""

    key: KeyId
    once: KeyId


class BackupWanted(Published):
    """Why a guest's own key will not do; and of several rooms, for which."""

    reason: Annotated[str, text(LONGEST_REASON), Field(min_length=1)]
    room: Maybe[RoomId] = None


class HandedOut(Published):
    """The backup code that is the guest's from now on, and the one that is made in its place."""

    key: KeyId
    reservation: ReservationId
    following: Maybe[KeyId] = None


async def open_once(asked: Asked, on: Platform) -> OnceMade:
    """Request a key that opens the room of another once."""
    record = await key_at(asked, on)
    asked.expects(record.version)
    kind = None if asked.body.kind is None else KeyCredentialKind(asked.body.kind)
    order = CopyOrder(asked.principal.tenant, record.id, asked.by, kind=kind, once=True)
    with as_state():
        told = await copy_key(order, services_of(on))
    return OnceMade(key=told["key"], once=told["copies"][0])


async def hand_out(asked: Asked, on: Platform) -> HandedOut:
    """Hand the room's backup code out to the stay's guest."""
    found = await stay_at(asked, on)
    asked.expects(found.version)
    room = None if asked.body.room is None else OfRoom(asked.body.room)
    order = BackupOrder(asked.principal.tenant, found.id, asked.by, asked.body.reason, room)
    with as_state():
        told = await hand_out_backup(order, services_of(on))
    return HandedOut(key=told["key"], reservation=told["reservation"], following=told["following"])


_KEY: Final = "/lock/v1/credentials/{keyCredentialId}"
ROUTES: Final = (
    Route(
        method="POST",
        path=f"{_KEY}/once",
        summary="Make a key that opens a room once",
        use_case=open_once,
        request=OnceWanted,
        answer=OnceMade,
        permission=Permission.KEY_REPLACE,
        status=202,
    ),
    Route(
        method="POST",
        path="/lock/v1/stays/{reservationId}/backup",
        summary="Hand the room's backup code out",
        use_case=hand_out,
        request=BackupWanted,
        answer=HandedOut,
        permission=Permission.KEY_REPLACE,
        status=202,
    ),
)
