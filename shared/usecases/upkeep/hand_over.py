"""A code that another takes the place of opens until its guest was told of the other, for minutes at most.

| the old key | its locks are asked to let it go |
|---|---|
| lost, or seen by others | at once: whoever has it is not to get in |
| renewed for its guest, or refused by a lock at a move | once a message of the new one has gone out |
| one of staff, refused by a lock | once the new one is made |
| the same, and nobody is to tell: no settings, the new one is over, five minutes have passed | at once |

It is revoked in the ledger from the beginning, and told as that. The sweeper hands over. Decision 0187.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from shared.domain.core import Guest
from shared.domain.kinds import RevokeReason
from shared.domain.states import Active, Pending, Requested, Revoked
from shared.keywork.services import Services
from shared.keywork.start import begin_work, publish_pending
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.indexes import NOTICES_OF_STAY
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Ledger, Saved
from shared.ledger.message_settings import message_settings
from shared.ledger.notices import Notice, WayState, notice_from

WITHIN: Final = timedelta(minutes=5)
_LOOKED_AT: Final = 20
"""So many notices of a stay at most, the newest first: those of the key in question are among them."""
_GONE_OUT: Final = frozenset({WayState.SENT, WayState.DELIVERED})


async def hand_over(old: Saved, new: Saved, ledger: Ledger, services: Services) -> None:
    """Have the old key's locks asked at once or when its guest knows of the new one, and that one made."""
    if not await keep_for_now(old.entry, ledger, services):
        await begin_work(old, ledger, services)
    await begin_work(new, ledger, services)


async def keep_for_now(entry: KeyRecord, ledger: Ledger, services: Services) -> bool:
    """Put off the work on a key whose guest is yet to be told of another; return whether it was."""
    if not (_is_handed_over(entry, services) and await _is_awaited(entry, ledger)):
        return False
    await publish_pending(entry, ledger, services.bus, due=services.now + STARTED_WITHIN)
    return True


def _is_handed_over(entry: KeyRecord, services: Services) -> bool:
    """Say whether a key made way for another just now, and no lock was asked to let it go."""
    state, saga = entry.credential.state, entry.saga
    if not isinstance(state, Revoked) or state.replaced_by is None or entry.holds:
        return False
    begun = saga.execution is not None or saga.began is not None
    in_time = services.now < state.revoked_at + WITHIN
    return state.reason is RevokeReason.REPLACED and in_time and not begun


async def _is_awaited(entry: KeyRecord, ledger: Ledger) -> bool:
    """Say whether the key in its place is being made for staff, or its guest is about to be told of it."""
    core, state = entry.credential.core, entry.credential.state
    assert isinstance(state, Revoked)  # noqa: S101 - the caller looked
    if state.replaced_by is None:
        return False
    new = await ledger.entry(state.replaced_by)
    if new is None or new.holds or not isinstance(new.credential.state, Requested | Pending | Active):
        return False
    if not isinstance(core.holder, Guest):
        return not isinstance(new.credential.state, Active)
    if await message_settings(ledger.documents, core.property_id) is None:
        return False
    told_of = {"of_stay": str(core.holder.reservation_id)}
    found = await ledger.documents.query(NOTICES_OF_STAY, told_of, limit=_LOOKED_AT)
    return not _is_told(new, map(notice_from, found))


def _is_told(new: KeyRecord, notices: Iterable[Notice]) -> bool:
    """Say whether a message of a new key has gone out, or none ever will."""
    of_it = [each for each in notices if (each.credential, each.tells) == (new.id, "issued")]
    return any(
        each.outcome is not None or any(way.state in _GONE_OUT for way in each.ways.values())
        for each in of_it
    )
