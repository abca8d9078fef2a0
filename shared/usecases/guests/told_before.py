"""What a guest was told before makes some of what happens to their key needless, or wrong, to tell.

| what happens to a key | why it is not told |
|---|---|
| it only became the guest's next stay's | it opens what and when it did |
| it ends again when its stay does, for the next has its own | the first mail said so, and a new code comes |
| it rests, or has ended, and its guest was never told of it | they would take it for the key that they know |
"""

from typing import Any, Final

from shared.domain.ids import ReservationId
from shared.domain.states import Active, Pending, Requested
from shared.ledger.indexes import NOTICES_OF_STAY
from shared.ledger.key_record import KeyRecord, key_record_from, ref_of
from shared.ledger.notices import Notice, Outcome, notice_from
from shared.ledger.reservation import Reservation, Status, reservation_from
from shared.ledger.reservation import ref_of as stay_at
from shared.messages.kinds import TOLD_WHEN_ISSUED, MessageKind
from shared.ports.documents import TenantDocuments

_LOOKED_AT: Final = 50
_INTRODUCE: Final = frozenset({*TOLD_WHEN_ISSUED.values(), MessageKind.PIN_CODE_CHANGED})
_IS_OR_COMES: Final = (Requested, Pending, Active)


async def told_of_stay(stay: ReservationId, store: TenantDocuments) -> list[Notice]:
    """Return what a stay's guest was told, the newest first."""
    found = await store.query(NOTICES_OF_STAY, {"of_stay": str(stay)}, limit=_LOOKED_AT)
    return [notice_from(each) for each in found]


def only_handed_over(changes: Any) -> bool:
    """Say whether a key is another stay's of its guest, and opens what and when it did."""
    others = (changes.valid_from, changes.valid_until, changes.rooms, changes.scope)
    return changes.reservation_id is not None and not any(others)


async def is_given_back(
    changes: Any, entry: KeyRecord, reservation: ReservationId, store: TenantDocuments
) -> bool:
    """Say whether a key ends as its guest was told first, while the next stay has one of its own."""
    until = changes.valid_until
    if until is None or until.after >= until.before:
        return False
    if any((changes.valid_from, changes.rooms, changes.scope)) or not await _next_has_own(
        entry, reservation, store
    ):
        return False
    told = [each for each in await told_of_stay(reservation, store) if each.credential == entry.id]
    return any(each.kind in _INTRODUCE and each.ends == until.after for each in told)


async def _next_has_own(entry: KeyRecord, reservation: ReservationId, store: TenantDocuments) -> bool:
    first = await _stay(reservation, store)
    then = None if first is None or first.turn is None else await _stay(first.turn, store)
    if then is None or then.status is not Status.CONFIRMED or entry.id in then.credentials:
        return False
    kept = [each for name in then.credentials if (each := await store.get(ref_of(name))) is not None]
    return any(_works_or_will(key_record_from(each)) for each in kept)


def _works_or_will(key: KeyRecord) -> bool:
    return isinstance(key.credential.state, _IS_OR_COMES) and not key.holds


async def never_told(notice: Notice, store: TenantDocuments) -> bool:
    """Say whether a notice is of a key that its guest was to be told of, and was not: it rested by then."""
    of_key = [
        each
        for each in await told_of_stay(notice.reservation, store)
        if each.credential == notice.credential and each.kind in _INTRODUCE
    ]
    return bool(of_key) and all(_untold(each) for each in of_key)


def _untold(notice: Notice) -> bool:
    undone = notice.outcome in (None, Outcome.SUPERSEDED)
    return undone and not any(way.tries for way in notice.ways.values())


async def _stay(reservation: ReservationId, store: TenantDocuments) -> Reservation | None:
    found = await store.get(stay_at(reservation))
    return None if found is None else reservation_from(found)
