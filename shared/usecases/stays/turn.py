"""Two stays of one guest, one right after the other in the same room, have one key: its PIN outlasts a turn.

| what happens | the key | the stay after |
|---|---|---|
| it is confirmed, and the key works | opens until it ends, and is the first stay's as yet | names it |
| the first stay is over, by an ending or by its time | is the next stay's from then on | |
| the next stay is off before | opens for the first stay alone again | |
| anything else is ordered of either: other dates, a hold, another PIN | the same | has one of its own |
| a lock does not follow, and the next stay begins within a day | the same | the same |

What settles this is a commit of its own, before what was heard is done: whoever dies in between leaves two
stays that each have a key. Where one key cannot serve both, the next stay has its own as ever. Decision 0220.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.commands import HandOver
from shared.domain.core import Guest
from shared.domain.credential import KeyCredential
from shared.domain.ids import KeyCredentialId
from shared.domain.kinds import REVOKE_PENDING_AT_LOCK, KeyCredentialKind, SetRole
from shared.domain.plan import IssuePlan
from shared.domain.states import Active, Failed, Requested, Revoked
from shared.keywork.desired import job_of, opening
from shared.keywork.orders import Order, retime_key
from shared.keywork.services import Services
from shared.keywork.start import begin_work
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import Cause, KeyRecord, NextStay, PastStay, Saga, Work
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.ports.documents import Write

TURN: Final = timedelta(hours=6)
"""So long a room is made ready at most, between a check-out and a check-in of the same day."""
URGENT: Final = timedelta(hours=24)
"""So long before the next stay its locks must have followed: no code that they compute is told earlier."""
_ALONE: Final = (SetRole.FIRST, SetRole.REPLACEMENT)


def next_stay(before: KeyRecord, wanted: KeyRecord) -> NextStay | None:
    """Return how a key goes on as the one that is wanted, if it can."""
    core, new = before.credential.core, wanted.credential.core
    if not (_goes_on(before) and _is_plain(wanted)):
        return None
    same = (core.property_id, set(core.rooms), core.scope) == (new.property_id, set(new.rooms), new.scope)
    if not same or core.plan.current != new.plan.current:
        return None
    if not core.window.end <= new.window.start <= core.window.end + TURN:
        return None
    assert isinstance(new.holder, Guest)  # noqa: S101 - it is wanted for a stay
    return NextStay(new.holder.reservation_id, new.claim, new.window, core.window)


def _goes_on(key: KeyRecord) -> bool:
    """Say whether a key is one that works, as it is to, and whose PIN its locks let go on."""
    core = key.credential.core
    settled = isinstance(key.credential.state, Active) and key.amends is None and not key.holds
    plain = core.role in _ALONE and not core.was_provisional and key.then is None
    pin = core.plan.current.kind is KeyCredentialKind.PIN_CODE
    stuck = any(each.code == REVOKE_PENDING_AT_LOCK for each in core.warnings)
    return settled and plain and pin and not stuck


def _is_plain(wanted: KeyRecord) -> bool:
    possible = isinstance(wanted.credential.state, Requested) and not wanted.holds
    return possible and wanted.credential.core.role is SetRole.FIRST


@dataclass(frozen=True, slots=True)
class Joined:
    """A key that opens until the next stay ends, and the stay that it is of, which knows of the next."""

    change: Change
    first: Reservation


async def joined(
    before: KeyRecord | None, wanted: Sequence[Change], order: Order, ledger: Ledger
) -> Joined | None:
    """Return what has a key go on as the one that is wanted for its guest's next stay; None if it cannot."""
    then = next_stay(before, wanted[0].entry) if before is not None and len(wanted) == 1 else None
    if before is None or then is None:
        return None
    core = before.credential.core
    assert isinstance(core.holder, Guest)  # noqa: S101 - it was found as a guest's
    first = await _stay(core.holder.reservation_id, ledger)
    if first is None or first.status is not Status.CONFIRMED or first.claim != core.claim:
        return None
    if first.holds or first.planned or before.id not in first.credentials:
        return None
    window = core.window.until(then.window.end)
    change = retime_key(replace(before, then=then), await ledger.grants(before), window, order)
    return Joined(change, replace(first, turn=then.reservation))


def stuck(key: KeyRecord, grants: Sequence[GrantRecord], now: datetime) -> bool:
    """Say whether a lock does not follow in time: for the next stay's own key there may be another way."""
    if key.then is None or key.amends is None or key.then.window.start > now + URGENT:
        return False
    behind = (kept for kept in opening(grants) if job_of(kept) is None)
    return any(kept.calls and kept.calls[-1].answered_at is not None for kept in behind)


async def settle_turn(record: Reservation, ledger: Ledger, services: Services, *, over: bool = False) -> None:
    """Give each of two stays its own key, or the key to the next where the first is over.

    What is to be done to the stay that is given is done after this.
    """
    if record.turn is None:
        return
    for name in record.credentials:
        key = await ledger.entry(name)
        if key is not None and key.then is not None:
            await _settle(key, record, ledger, services, over=over)


async def settle_key(key: KeyRecord, ledger: Ledger, services: Services) -> KeyRecord:
    """Give each of a key's two stays its own, for it is to become another; return the key as it is then."""
    if key.then is not None and isinstance(key.credential.core.holder, Guest):
        record = await _stay(key.credential.core.holder.reservation_id, ledger)
        if record is not None:
            await _settle(key, record, ledger, services, over=False)
    return await ledger.entry(key.id) or key


async def _settle(
    key: KeyRecord, record: Reservation, ledger: Ledger, services: Services, *, over: bool
) -> None:
    then, state = key.then, key.credential.state
    if then is None or isinstance(state, Revoked | Failed):
        return
    first = then.reservation != record.id
    order = Order(Cause(key.cause.trace_id), services.now)
    ended = (first and over) or then.before.end <= services.now
    changes, beside = list[Change](), list[Write]()
    if ended and isinstance(state, Active):
        changes.append(await _handed_over(key, then, order, ledger))
    else:
        changes.append(await _given_back(key, then, order, ledger))
        if first or not over:
            own, named = await _own_key(key, then, order, ledger, services)
            changes, beside = [*changes, *own], named
    for saved in await ledger.save_all(changes, *beside):
        await begin_work(saved, ledger, services)


async def _handed_over(key: KeyRecord, then: NextStay, order: Order, ledger: Ledger) -> Change:
    """Return what makes a key the next stay's; it opens over the turn, and no earlier than that."""
    holder = key.credential.core.holder
    assert isinstance(holder, Guest)  # noqa: S101 - it had a next stay
    taken = HandOver(at=order.at, holder=replace(holder, reservation_id=then.reservation), claim=then.claim)
    credential, facts = key.credential.apply(taken)
    window = credential.core.window.until(then.window.end)
    first = holder.reservation_id
    past: PastStay | None = PastStay(first, key.times_of(first), then.window.start)
    if order.at < then.window.start - TURN:
        window, past = then.window, None
    handed = replace(key, credential=credential, then=None, past=past)
    return retime_key(handed, await ledger.grants(key), window, order, facts)


async def _given_back(key: KeyRecord, then: NextStay, order: Order, ledger: Ledger) -> Change:
    return retime_key(replace(key, then=None), await ledger.grants(key), then.before, order)


async def _own_key(
    key: KeyRecord, then: NextStay, order: Order, ledger: Ledger, services: Services
) -> tuple[list[Change], list[Write]]:
    """Return the next stay's own key, and that stay naming it, unless it is off or has another by now."""
    record = await _stay(then.reservation, ledger)
    if record is None or record.status is not Status.CONFIRMED or key.id not in record.credentials:
        return [], []
    core, id_ = key.credential.core, KeyCredentialId.mint(services.ids.ulid())
    assert isinstance(core.holder, Guest)  # noqa: S101 - it had a next stay
    own = replace(
        core,
        id=id_,
        holder=replace(core.holder, reservation_id=then.reservation),
        window=then.window,
        plan=IssuePlan(core.plan.choices),
        claim=then.claim,
        role=SetRole.FIRST,
        replaces=None,
        warnings=(),
    )
    credential, facts = KeyCredential.request(own, at=order.at)
    saga, due = Saga(kind=Work.ISSUE, claim=then.claim), order.at + STARTED_WITHIN
    entry = KeyRecord(credential, saga, order.cause, due=due, holds=record.holds)
    credentials = tuple(id_ if each == key.id else each for each in record.credentials)
    named = replace(record, credentials=credentials, turn=None)
    return [Change(entry, facts)], [named.write()]


async def _stay(reservation: str, ledger: Ledger) -> Reservation | None:
    found = await ledger.documents.get(ref_of(reservation))
    return None if found is None else reservation_from(found)
