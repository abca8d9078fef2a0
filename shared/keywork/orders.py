"""Orders to a key: what each changes in the ledger at once, and wishes of its locks, in one commit.

| order | the key, at once | wish at its locks | told when the locks have followed |
|---|---|---|---|
| end | revoked, or failed | gone | `revoke_settled` |
| hold | suspended, if it is active | rest | |
| release, of the last hold | | open | `unsuspended` |
| place again | | open: what its lock agreed to counts no more | |
| amend | | open at the new time, at the new doors; left behind elsewhere | `updated` |
| retime | | open at the new time, at the same doors | `updated` |

A key that is still being made keeps its holds until it is: it then comes to life at rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from shared.domain.commands import Revoke, Suspend
from shared.domain.facts import Fact
from shared.domain.ids import CredentialId
from shared.domain.kinds import SAGA, Actor, ClaimKey, RevokeReason, SuspendReason
from shared.domain.premises import LockDevice
from shared.domain.reactions import ending_command
from shared.domain.states import Active, Failed, Revoked, Suspended
from shared.domain.window import StayWindow
from shared.events.idempotency import claim_key
from shared.keywork.desired import act_for, opening
from shared.keywork.prepare import new_grant
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.grant_record import GrantRecord, Wish
from shared.ledger.key_record import Cause, KeyRecord, Target, Work
from shared.ledger.ledger import Change
from shared.ports.ambient import Ids


@dataclass(frozen=True, slots=True)
class Order:
    """Why something is ordered, when, and by whom."""

    cause: Cause
    at: datetime
    by: Actor = SAGA


def end_key(
    entry: KeyRecord,
    grants: Sequence[GrantRecord],
    reason: RevokeReason,
    order: Order,
    replaced_by: CredentialId | None = None,
) -> Change | None:
    """Return what ends a key, whatever its state; None if it is over already."""
    command = ending_command(entry.credential, reason, at=order.at, by=order.by)
    if command is None:
        return None
    if isinstance(command, Revoke):
        command = replace(command, replaced_by=replaced_by)
    gone = tuple(kept.withdrawn(order.at) for kept in grants if not kept.over)
    credential, facts = entry.credential.apply(command)
    cause = order.cause
    claim = claim_key("revoke", event_id=cause.event_id or str(entry.id), key_credential_id=str(entry.id))
    ended = replace(entry, credential=credential, amends=None)
    return _turned(ended, gone, facts, order, ClaimKey(claim))


def hold_key(
    entry: KeyRecord, grants: Sequence[GrantRecord], reason: SuspendReason, order: Order
) -> Change | None:
    """Return what lets a key rest while a reason holds; None if it is over, or rests for that already."""
    if isinstance(entry.credential.state, Revoked | Failed) or reason in entry.holds:
        return None
    held = replace(entry, holds=entry.holds | {reason}, ordered_by=order.by)
    if not isinstance(entry.credential.state, Active | Suspended):
        return Change(held)  # it is being made, and whoever makes it heeds its holds
    facts: tuple[Fact, ...] = ()
    if isinstance(entry.credential.state, Active):
        credential, facts = entry.credential.apply(Suspend(at=order.at, by=order.by, reason=reason))
        held = replace(held, credential=credential)
    return _turned(held, resting(grants, order.at), facts, order)


def resting(grants: Sequence[GrantRecord], at: datetime) -> tuple[GrantRecord, ...]:
    """Return the grants of a key that is to rest: what was to go goes all the same."""
    rest = {Wish.OPEN: Wish.REST, Wish.LEFT: Wish.GONE}
    return tuple(
        kept.withdrawn(at) if kept.wish is Wish.LEFT else kept.wished(Wish.REST, at)
        for kept in grants
        if kept.wish in rest and not kept.over
    )


def release_key(
    entry: KeyRecord, grants: Sequence[GrantRecord], reason: SuspendReason, order: Order
) -> Change | None:
    """Return what takes a reason away, and wakes a key that no other holds; None if it did not hold."""
    if isinstance(entry.credential.state, Revoked | Failed) or reason not in entry.holds:
        return None
    freed = replace(entry, holds=entry.holds - {reason}, ordered_by=order.by)
    if freed.holds or not isinstance(entry.credential.state, Suspended):
        return Change(freed)
    woken = tuple(
        kept.wished(Wish.OPEN, order.at) for kept in grants if kept.wish is Wish.REST and not kept.over
    )
    return _turned(freed, woken, (), order)


def amend_key(
    entry: KeyRecord,
    grants: Sequence[GrantRecord],
    target: Target,
    doors: Sequence[LockDevice],
    order: Order,
    ids: Ids,
) -> Change | None:
    """Return what brings a living key to other rooms or times; None if it is, or becomes, that already."""
    state, core = entry.credential.state, entry.credential.core
    scope = None if target.scope is None else core.scope
    if not isinstance(state, Active | Suspended) or target == (
        entry.amends or Target(core.rooms, core.window, scope)
    ):
        return None
    wish = Wish.REST if entry.holds else Wish.OPEN
    mine = _by_door(grants, entry)
    wanted = [
        known.aimed(target.window, wish, order.at)
        if (known := mine.get((door.id, door.vendor_device))) is not None
        else replace(new_grant(entry, door, target, grants, order.at, ids), wish=wish, wished_at=order.at)
        for door in doors
    ]
    here = {(door.id, door.vendor_device) for door in doors}
    left = [_left(kept, order.at) for place, kept in mine.items() if place not in here]
    changed = [kept for kept in (*wanted, *left) if kept not in grants]
    return _turned(replace(entry, amends=target), tuple(changed), (), order)


def retime_key(
    entry: KeyRecord,
    grants: Sequence[GrantRecord],
    window: StayWindow,
    order: Order,
    facts: tuple[Fact, ...] = (),
) -> Change:
    """Return what brings a living key to other times at the doors that it has."""
    aimed = [
        (kept, kept.aimed(window, kept.wish, order.at))
        for kept in grants
        if kept.wish in (Wish.OPEN, Wish.REST) and not kept.over
    ]
    changed = tuple(new for kept, new in aimed if new != kept)
    core = entry.credential.core
    if changed or opening(grants) or window != core.window:
        entry = replace(entry, amends=Target(core.rooms, window))
    else:
        entry = replace(entry, amends=None)  # it opens just so already: no lock is to follow
    owed = tuple(kept for kept in grants if act_for(kept) is not None)
    return _turned(entry, changed or owed, facts, order)


def place_key_again(entry: KeyRecord, kept: GrantRecord, order: Order) -> Change | None:
    """Return what brings a key back to a lock that lost it; None if it is not wished to open there.

    While the key is still being made, whoever makes it finds a lock that has not agreed.
    """
    state = entry.credential.state
    if not kept.wanted or kept.wish is not Wish.OPEN or isinstance(state, Revoked | Failed):
        return None
    lost = replace(kept, standing=None, wished_at=order.at)
    if not isinstance(state, Active | Suspended):
        return Change(entry, (), (lost,))
    return _turned(entry, (lost,), (), order)


def _by_door(grants: Sequence[GrantRecord], entry: KeyRecord) -> dict[object, GrantRecord]:
    """Return the grants of the key's present secret that are to stay, by lock."""
    kind = entry.credential.core.plan.current.kind
    return {
        (kept.grant.device_id, kept.vendor_device): kept
        for kept in grants
        if not kept.over
        and kept.wish is not Wish.GONE
        and (kept.grant.kind, kept.grant.secret_try) == (kind, entry.secret_try)
    }


def _left(kept: GrantRecord, at: datetime) -> GrantRecord:
    """Return a grant at a door that the key is to open no more: one that opens waits for what is gained."""
    return kept.wished(Wish.LEFT, at) if kept.stands else kept.withdrawn(at)


def _turned(
    entry: KeyRecord,
    grants: tuple[GrantRecord, ...],
    facts: tuple[Fact, ...],
    order: Order,
    claim: ClaimKey | None = None,
) -> Change:
    """Return a change whose work begins at once; what other work was under way, wishes remember."""
    saga = entry.saga.switched_to(Work.SETTLE, claim)
    due = order.at + STARTED_WITHIN
    return Change(replace(entry, saga=saga, cause=order.cause, due=due), facts, grants)
