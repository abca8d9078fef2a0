"""One credential of a master key is brought to what its holder may open now, by the orders of the engine.

| its holder | the credential | is ordered |
|---|---|---|
| at work, or about to be | as it is to be | nothing |
| | at rest | released, and moved to this work: its secret stays |
| | of other rooms, times or scope | amended |
| | still being made | nothing, until it is made |
| | refused by a lock for its PIN | ended, and another requested in its place |
| off duty | standing | to rest: only where its lock does not end it by itself |
| | | a key that was moved ahead opens nothing before its time |
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.core import CredentialCore, Staff
from shared.domain.credential import KeyCredential
from shared.domain.ids import KeyCredentialId
from shared.domain.kinds import WINDOW_NOT_ENFORCED, ClaimKey, RevokeReason, SetRole, SuspendReason
from shared.domain.master_key import MasterKey
from shared.domain.states import Active, Failed, Revoked, Suspended
from shared.domain.window import StayWindow
from shared.keywork.desired import pin_refused
from shared.keywork.orders import Order, amend_key, end_key, hold_key, release_key
from shared.keywork.services import Services
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.grant_record import GrantRecord, Wish
from shared.ledger.key_record import KeyRecord, Saga, Target, Work
from shared.ledger.ledger import Change
from shared.usecases.staff.reach import Bunch
from shared.usecases.upkeep.another_key import AnotherKey, request_beside

OFF_DUTY: Final = SuspendReason.MANUAL
"""The reasons are the specification's; a staff key rests for no other."""
AHEAD: Final = timedelta(minutes=15)
"""So long before work a resting key is moved to it: its locks open no earlier than it begins."""


@dataclass(frozen=True, slots=True)
class Steering:
    """A credential with its grants, and what it is to open when."""

    entry: KeyRecord
    grants: Sequence[GrantRecord]
    bunch: Bunch | None
    work: StayWindow | None

    def at_work(self, now: datetime) -> bool:
        """Say whether the holder is at work, or about to be."""
        return self.bunch is not None and self.work is not None and self.work.start - AHEAD <= now

    @property
    def refused(self) -> bool:
        """Say whether a lock that the holder is to open will not have this PIN."""
        if self.bunch is None or self.work is None:
            return False
        doors = {door.id for door in self.bunch.doors}
        return pin_refused(self.entry, [kept for kept in self.grants if kept.grant.device_id in doors])

    @property
    def target(self) -> Target:
        """What the credential is to open at work."""
        assert self.bunch is not None  # noqa: S101 - asked of those at work only
        assert self.work is not None  # noqa: S101 - the same
        return Target(self.bunch.rooms, self.work, self.bunch.scope)


def steered(it: Steering, order: Order, services: Services) -> Change | None:
    """Return what brings the credential to what it is to be; None if it is, or cannot follow yet."""
    if not isinstance(it.entry.credential.state, Active | Suspended):
        return None
    if it.at_work(order.at) or _is_ahead(it, order.at):
        return _to_work(it, order, services)
    return _to_rest(it, order)


def settled(it: Steering, now: datetime) -> bool:
    """Say whether nothing is left to be told or done soon: the credential is as it is to be."""
    entry, state = it.entry, it.entry.credential.state
    if isinstance(state, Revoked | Failed):
        return True
    waits = entry.amends is not None or (isinstance(state, Suspended) and not entry.holds)
    return isinstance(state, Active | Suspended) and not (it.at_work(now) and waits)


def replaced(it: Steering, order: Order, services: Services) -> tuple[Change, Change]:
    """Return what ends a credential whose PIN a lock refuses, and the one in its place."""
    assert it.bunch is not None  # noqa: S101 - a PIN is refused at a door that it is to open
    id_ = KeyCredentialId.mint(services.ids.ulid())
    ended = end_key(it.entry, it.grants, RevokeReason.REPLACED, order, id_)
    assert ended is not None  # noqa: S101 - it is no key of which a PIN was refused that is over
    return ended, request_beside(it.entry, AnotherKey(id_, SetRole.REPLACEMENT, it.bunch.plan()), order)


def requested_key(
    key: MasterKey, bunch: Bunch, work: StayWindow, claim: ClaimKey, order: Order, id_: KeyCredentialId
) -> Change:
    """Return a credential of a master key as it is first written down."""
    core = CredentialCore(
        id=id_,
        tenant=key.tenant,
        property_id=key.property_id,
        holder=Staff(key.staff, key.id, standing=key.standing),
        rooms=bunch.rooms,
        window=work,
        plan=bunch.plan(),
        claim=claim,
        scope=bunch.scope,
    )
    credential, facts = KeyCredential.request(core, at=order.at, by=order.by)
    saga = Saga(kind=Work.ISSUE, claim=claim)
    return Change(KeyRecord(credential, saga, order.cause, due=order.at + STARTED_WITHIN), facts)


def _is_ahead(it: Steering, now: datetime) -> bool:
    """Say whether a key that lives waits for work that is yet to begin, and has never been to rest."""
    if it.bunch is None or it.work is None or it.entry.holds:
        return False
    return it.entry.credential.core.window.start > now


def _to_work(it: Steering, order: Order, services: Services) -> Change | None:
    freed = release_key(it.entry, it.grants, OFF_DUTY, order)
    entry = it.entry if freed is None else freed.entry
    grants = _with(it.grants, () if freed is None else freed.grants)
    assert it.bunch is not None  # noqa: S101 - a key at work has doors
    moved = amend_key(entry, grants, it.target, it.bunch.doors, order, services.ids)
    if freed is None or moved is None:
        return moved or freed
    changed = _with(freed.grants, moved.grants, more=True)
    return replace(moved, facts=(*freed.facts, *moved.facts), grants=tuple(changed))


def _to_rest(it: Steering, order: Order) -> Change | None:
    return hold_key(it.entry, [each for each in it.grants if _opens(each, order.at)], OFF_DUTY, order)


def _opens(kept: GrantRecord, now: datetime) -> bool:
    """Say whether a lock may still open by a key: not if it ended it by itself."""
    at = kept.standing
    if at is None or kept.wish is not Wish.OPEN:
        return True
    enforced = all(warning.code != WINDOW_NOT_ENFORCED for warning in at.warnings)
    return not enforced or at.valid_until > now


def _with(
    grants: Sequence[GrantRecord], changed: Sequence[GrantRecord], *, more: bool = False
) -> list[GrantRecord]:
    known = {kept.grant.id: kept for kept in grants}
    new = {kept.grant.id: kept for kept in changed if more or kept.grant.id in known}
    return list((known | new).values())
