"""Who else has a stay's rooms, or is about to: two bookings of one room at one time are never silently both.

| another guest's key at the room | where the policy says | this stay |
|---|---|---|
| opens at a time of this stay | `joiner` (who says nothing) | joins: its key is a joiner's, and says so |
| | `refuse` | is refused: the room, and whose stay has it, are told |
| is of the same guest | either | joins |
| opens at a time of a stay that is changed | `joiner` | its key follows, and says so from then on |
| opens before or after it | either | has the room alone |
| is this stay's next, or its one key with the stay before | either | has the room alone |

Keys are found by the grants at the room's own lock. Those that wait for their time have none yet: whoever is
made later finds the other, and each arrival is looked at once more (`check_arrival`). Decision 0145.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from shared.domain.core import Guest
from shared.domain.errors import InvalidInput
from shared.domain.ids import RoomId
from shared.domain.instants import milliseconds
from shared.domain.kinds import KeyWarning
from shared.domain.policy import KeyKindPolicy, SharedRooms
from shared.domain.states import Failed, Revoked
from shared.ledger.grant_record import GUEST, GrantRecord, grant_from
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.indexes import AT_DEVICE
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Ledger
from shared.ledger.reading import from_value
from shared.ledger.stay import Stay
from shared.ports.documents import Document

PAGE: Final = 10
"""Few keys are at a room's own lock, and most of them one after another."""
ROOM_SHARED: Final = "ROOM_SHARED"


@dataclass(frozen=True, slots=True)
class Sharer:
    """Another stay's key at a room, at a time of ours."""

    room: RoomId
    guest: Guest
    said: bool
    """Whether their key says so already."""

    def warning(self) -> KeyWarning:
        """Return what staff are told with the key."""
        return KeyWarning(ROOM_SHARED, f"{self.room} is also that of {self.guest.reservation_id} at its time")


@dataclass(frozen=True, slots=True)
class Beside:
    """Who else has the rooms of a stay at its time, and its own guest's key right before it."""

    sharers: tuple[Sharer, ...] = ()
    before: KeyRecord | None = None


async def sharers_of(stay: Stay, holder: Guest, setup: HotelSetup, ledger: Ledger) -> tuple[Sharer, ...]:
    """Return who else has the rooms of a stay at its time: one for each, another guest before its own."""
    return (await stays_beside(stay, holder, setup, ledger, timedelta())).sharers


async def stays_beside(
    stay: Stay, holder: Guest, setup: HotelSetup, ledger: Ledger, turn: timedelta
) -> Beside:
    """Return who has the rooms of a stay at its time, and whose stay ended a turn before it at most."""
    asked = [_beside(room, stay, holder, setup, ledger, turn) for room in stay.rooms]
    found = await asyncio.gather(*asked) if len(asked) > 1 else [await each for each in asked]
    sharers = tuple(sharer for each in found for sharer in each.sharers)
    return Beside(sharers, next((each.before for each in found if each.before is not None), None))


def warnings_in(rooms: Collection[RoomId], sharers: Iterable[Sharer]) -> tuple[KeyWarning, ...]:
    """Return what is said of a key to rooms that others have too; nothing of one to its guest's alone."""
    return tuple(each.warning() for each in sharers if each.room in rooms)


def check_shared(sharers: Iterable[Sharer], holder: Guest, policy: KeyKindPolicy) -> None:
    """Refuse a stay in a room that another guest has, where the policy wants that."""
    other = next((each for each in sharers if each.guest.guest_id != holder.guest_id), None)
    if other is not None and policy.shared_rooms is SharedRooms.REFUSE:
        problem = f"{other.room} is that of {other.guest.reservation_id} at a time of this stay"
        remedy = "give another room, or other dates, or end the other stay, then replay the message"
        raise InvalidInput("data.rooms", problem, remedy)


async def _beside(
    room: RoomId, stay: Stay, own: Guest, setup: HotelSetup, ledger: Ledger, turn: timedelta
) -> Beside:
    found, before = None, None
    async for kept in _at_its_lock(room, stay, own, setup, ledger, turn):
        entry = await ledger.entry(kept.grant.credential_id)
        if entry is None or isinstance(entry.credential.state, Revoked | Failed):
            continue
        holder = entry.credential.core.holder
        if not isinstance(holder, Guest) or entry.is_of(own.reservation_id):
            continue
        if kept.until <= stay.start:
            before = entry if holder.guest_id == own.guest_id else before
            continue
        said = any(each.code == ROOM_SHARED for each in entry.credential.core.warnings)
        found = found or Sharer(room, holder, said)
        if holder.guest_id != own.guest_id:
            return Beside((Sharer(room, holder, said),))
    return Beside(() if found is None else (found,), before)


async def _at_its_lock(
    room: RoomId, stay: Stay, guest: Guest, setup: HotelSetup, ledger: Ledger, turn: timedelta
) -> AsyncIterator[GrantRecord]:
    """Yield the grants at a room's own lock whose time touches a stay, those that end first coming first.

    Of those that end before it, only what may be its own guest's: nearly every stay has another guest's right
    before it, of which nothing is taken apart.
    """
    doors = setup.doors([room])
    if not doors:
        return  # whoever splits the stay refuses the room
    own = min(doors, key=lambda door: len(door.rooms))
    since = stay.start if not turn else stay.start - turn - timedelta(milliseconds=1)
    after = from_value(AT_DEVICE, milliseconds(since) + 1)
    while True:
        at_device = {"device_id": str(own.id)}
        page = await ledger.documents.query(AT_DEVICE, at_device, after=after, limit=PAGE)
        asked = (found for found in page if not _of_another_before(found, stay, guest))
        for kept in map(grant_from, asked):
            if kept.wanted and kept.since < stay.end and room in kept.grant.rooms:
                yield kept
        if len(page) < PAGE:
            return
        after = page[-1]


def _of_another_before(found: Document, stay: Stay, guest: Guest) -> bool:
    """Say whether a grant says itself that it is another guest's, and is one of a stay that ends before."""
    whose = found.data.get(GUEST)
    return whose not in (None, guest.guest_id) and found.data[AT_DEVICE.order_by] <= milliseconds(stay.start)
