"""A desk hands a room's backup code out to a guest whose own key does not open: once, and another is made.

1. The stay has begun and goes on, nothing holds it, and its room has a code that stands at its locks.
2. One commit: the code becomes the guest's, as a copy among the keys of their stay, until the stay's end; the
   hand-out is noted with who and why; the next code is requested on the same word.
3. The desk sees the digits where it sees every guest's PIN, which is noted too (decision 0095).

From then on it follows the stay, rests and ends with it. Ordered twice, the second order finds the first, as
long as that lives. Whoever comes later would open a room with it in which somebody else may live still.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, ReservationId, RoomId, TenantId, UserId
from shared.domain.kinds import SetRole
from shared.domain.states import Active, Failed, Revoked
from shared.keywork.orders import Order, amend_key
from shared.keywork.prepare import doors_for
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.backup_code import KEEPER, BackupCode, HandedOut
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.key_record import Cause, KeyRecord, Target
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.ledger.stay import Stay
from shared.usecases.backups.keep_backups import Keeping
from shared.usecases.stays.rest_keys import unprompted

LONGEST_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class BackupOrder:
    """For which stay a backup code is handed out, on whose word, and why; of several rooms, for which."""

    tenant: TenantId
    reservation: ReservationId
    by: UserId
    because: str
    room: RoomId | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        because, room = body.get("reason"), body.get("room")
        if not isinstance(because, str) or not 0 < len(because.strip()) <= LONGEST_REASON:
            raise InvalidInput("reason", "none, or too long", f"say why, in up to {LONGEST_REASON} letters")
        return cls(
            TenantId.parse(body.get("tenant"), "tenant"),
            ReservationId.parse(body.get("reservation"), "reservation"),
            UserId.parse(body.get("by"), "by"),
            because.strip(),
            None if room is None else RoomId.parse(room, "room"),
        )


async def hand_out_backup(order: BackupOrder, services: Services) -> dict[str, Any]:
    """Hand a backup code out, and return which key it is, and which is made in its place."""
    ledger = await services.ledger(order.tenant)
    key, following = await retry_on_conflict(lambda: _handed(order, ledger, services))
    about = {"reservationId": order.reservation, "by": order.by, "because": order.because}
    services.log.warning("a backup code was handed out", keyCredentialId=key, **about)
    return {"key": key, "reservation": order.reservation, "following": following}


async def _handed(
    order: BackupOrder, ledger: Ledger, services: Services
) -> tuple[CredentialId, CredentialId | None]:
    record, stay = await _stay(order, ledger, services)
    setup = await services.hotels.premises(order.tenant, stay.property_id)
    keeping = await _kept_for(order, stay, setup, ledger, services)
    code = await keeping.record()
    before = await _handed_before(code, record, ledger)
    if before is not None:
        return before, code.key
    entry = await _ready(code, keeping)
    word = Order(unprompted(services), services.now, order.by)
    given = await _given(entry, record, stay, keeping, word)
    following = keeping.requested(code, word)
    named = replace(record, credentials=(*record.credentials, entry.id))
    out = HandedOut(entry.id, record.id, order.by, order.because, services.now)
    next_key = None if following is None else following.entry.id
    noted = code.handed(out).with_key(next_key, services.now)
    changes = [given, *([] if following is None else [following])]
    for saved in await ledger.save_all(changes, named.write(), noted.write()):
        await begin_work(saved, ledger, services)
    return entry.id, next_key


async def _handed_before(code: BackupCode, record: Reservation, ledger: Ledger) -> CredentialId | None:
    """Return the code that this stay was handed, if it lives."""
    theirs = [each.key for each in code.handed_out if each.reservation == record.id]
    for key in theirs:
        entry = await ledger.entry(key) if key in record.credentials else None
        if entry is not None and not isinstance(entry.credential.state, Revoked | Failed):
            return key
    return None


async def _stay(order: BackupOrder, ledger: Ledger, services: Services) -> tuple[Reservation, Stay]:
    found = await ledger.documents.get(ref_of(order.reservation))
    record = None if found is None else reservation_from(found)
    stay = None if record is None else record.stay
    if record is None or stay is None or record.status is not Status.CONFIRMED or stay.end <= services.now:
        raise InvalidInput("reservation", "no stay that goes on", "give one that is confirmed and not over")
    if stay.start > services.now:
        remedy = "have the booking begin now, if the room is free: its guest's own key opens too then"
        raise InvalidInput("reservation", "not begun: its room may be another guest's", remedy)
    if record.holds:
        remedy = "release it first: its guest is not to get in"
        raise InvalidInput("reservation", f"held: {', '.join(sorted(record.holds))}", remedy)
    return record, stay


async def _kept_for(
    order: BackupOrder, stay: Stay, setup: HotelSetup, ledger: Ledger, services: Services
) -> Keeping:
    """Return the code of the room that is meant, by the lock that is the room's own."""
    room = order.room or stay.rooms[0]
    if room not in stay.rooms:
        raise InvalidInput("room", "none of this stay's", f"give one of {', '.join(stay.rooms)}")
    doors = setup.doors([room])
    if not doors:
        raise InvalidInput("room", "no lock is mapped to it", "map one, or let the guest in by hand")
    own = min(doors, key=lambda door: len(door.rooms))
    return Keeping(setup, own, ledger, services)


async def _ready(code: BackupCode, keeping: Keeping) -> KeyRecord:
    entry = None if code.key is None else await keeping.ledger.entry(code.key)
    held = entry is not None and entry.credential.core.holder == KEEPER
    if (
        entry is None
        or not held
        or not keeping.is_of(entry)
        or not isinstance(entry.credential.state, Active)
    ):
        remedy = "switch backupCodes on in the policy, or replace the guest's key: keyfleet key replace"
        raise InvalidInput("room", "no backup code stands ready for it", remedy)
    return entry


async def _given(entry: KeyRecord, record: Reservation, stay: Stay, keeping: Keeping, word: Order) -> Change:
    """Return the code as the guest's own: one more key of their stay, until the stay's end."""
    credential = entry.credential
    holder, claim = stay.held_by(record.id), record.claim or credential.core.claim
    core = replace(credential.core, holder=holder, role=SetRole.COPY, claim=claim)
    theirs = replace(entry, credential=replace(credential, core=core))
    target = Target(core.rooms, core.window.until(stay.end))
    doors = doors_for(core, core.rooms, keeping.setup.of_vendor(keeping.door.vendor))
    grants = await keeping.ledger.grants(entry)
    amended = amend_key(theirs, grants, target, doors, word, keeping.services.ids)
    return amended or Change(replace(theirs, cause=Cause(word.cause.trace_id)))
