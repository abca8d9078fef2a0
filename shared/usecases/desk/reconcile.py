"""A key that a desk made alone becomes a key of the ledger, or one that is ended (A §9.2, step 8).

| the stay | the desk's key | |
|---|---|---|
| is confirmed, and its own key waits for this desk | is that key: its job finds the card written | one key |
| the same, and it is a PIN at the doors | takes its place: the guest was told this PIN | one key |
| is confirmed, and it has no such key, or one that failed | is a key of its own, to the stay's end | |
| is confirmed, with such a key in use | is a copy of it, active | |
| has other rooms, guests or times now | revoked: replaced | residual till its end |
| is cancelled, or over | revoked: cancellation, or checkout | the same |
| is unknown, or the desk broke its bounds | nobody's: told of at once, as one who broke in | alarm |

All of one key is one commit, which also says which key of the ledger it is: told twice, it finds that. A key
that nobody can take back stays in the list of residues until its end, which is two days off at most.
"""

import hashlib
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from shared.domain.commands import Accept, Provision
from shared.domain.core import CredentialCore
from shared.domain.credential import KeyCredential
from shared.domain.facts import Fact
from shared.domain.grant_lifecycle import Place, Placement
from shared.domain.ids import CredentialId, KeyCredentialId
from shared.domain.kinds import ClaimKey, Origin, RevokeReason, SetRole, VendorCode
from shared.domain.plan import Choice, IssuePlan
from shared.domain.premises import LockDevice
from shared.domain.states import Active, Failed, Pending, Requested, Suspended
from shared.domain.window import StayWindow
from shared.keywork.manual_task import task_closed
from shared.keywork.orders import Order, amend_key, end_key, hold_key
from shared.keywork.prepare import new_grant
from shared.keywork.start import begin_work
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.grant_record import GrantRecord
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.key_at_lock import KeyAtLockRecord
from shared.ledger.key_record import Cause, KeyRecord, Saga, Target, Work
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.ledger.stay import Stay
from shared.ports.documents import Write
from shared.usecases.desk.desk_facts import CARDS, MadeAlone
from shared.usecases.desk.desks import KnownDesk
from shared.usecases.desk.local_keys import LocalKey, local_key
from shared.usecases.desk.made_cards import noted, sealed
from shared.usecases.desk.services import DeskServices

SLACK: Final = timedelta(minutes=1)
"""By so much a card's minutes may exceed the stay's own."""
OVER: Final = {
    Status.CANCELLED: RevokeReason.CANCELLATION,
    Status.CHECKED_OUT: RevokeReason.CHECKOUT,
}


@dataclass(frozen=True, slots=True)
class Found:
    """All that is known where a desk's key is to find its place."""

    made: MadeAlone
    record: Reservation
    stay: Stay
    setup: HotelSetup
    keys: tuple[KeyRecord, ...]

    @property
    def doors(self) -> tuple[LockDevice, ...]:
        """The locks that the key opens."""
        return tuple(each for each in self.setup.doors(self.made.rooms) if each.vendor == self.made.vendor)

    @property
    def window(self) -> StayWindow:
        """When the key opens them."""
        return StayWindow(self.made.start, self.made.end, self.setup.property.zone)

    @property
    def alike(self) -> tuple[KeyRecord, ...]:
        """The stay's keys of the same vendor, to any of the same rooms."""
        return tuple(
            key
            for key in self.keys
            if key.credential.core.plan.current.vendor == self.made.vendor
            and not set(key.credential.core.rooms).isdisjoint(self.made.rooms)
        )

    @property
    def waiting(self) -> tuple[KeyRecord, ...]:
        """Those of them that are yet to be made."""
        return tuple(key for key in self.alike if isinstance(key.credential.state, Requested | Pending))

    def why_ended(self) -> RevokeReason | None:
        """Return why the key is to open nothing any more; None where the stay includes it."""
        if self.record.status in OVER:
            return OVER[self.record.status]
        within = set(self.made.rooms) <= set(self.stay.rooms) and self.made.end <= self.stay.end + SLACK
        return None if within and self.made.start < self.stay.end else RevokeReason.REPLACED


async def reconcile(made: MadeAlone, desk: KnownDesk, on: DeskServices) -> CredentialId | None:
    """Give a desk's key its place in the ledger, once, and return which key it is; None where it has none."""
    known = await local_key(made.local, desk.store)
    if known is not None:
        return known.key
    ledger = Ledger(desk.store, on.keys.ids)
    found = await _found(made, desk, ledger, on)
    if found is None:
        on.keys.log.alert(
            "a desk made a key for a stay that nobody knows",
            runbook="desk/unknown-key",
            tenant=desk.tenant,
            device=desk.record.id,
        )
        return None
    if found.waiting and made.kind in CARDS and found.why_ended() is None:
        link = LocalKey(made.local, found.waiting[0].id, desk.record.id, made.number)
        await desk.store.commit([link.write(made.end)])
        return found.waiting[0].id
    return await _materialized(found, desk, ledger, on)


async def _found(made: MadeAlone, desk: KnownDesk, ledger: Ledger, on: DeskServices) -> Found | None:
    kept = await desk.store.get(ref_of(made.reservation))
    record = None if kept is None else reservation_from(kept)
    if record is None or record.stay is None or record.property_id != desk.record.property_id:
        return None
    setup = await on.keys.hotels.premises(desk.tenant, desk.record.property_id)
    entries = [await ledger.entry(each) for each in record.credentials]
    found = Found(made, record, record.stay, setup, tuple(each for each in entries if each is not None))
    return found if found.doors and set(made.rooms) <= setup.rooms else None


async def _materialized(found: Found, desk: KnownDesk, ledger: Ledger, on: DeskServices) -> CredentialId:
    change = await _made(found, desk, on)
    entry, grants = change.entry, change.grants
    link = LocalKey(found.made.local, entry.id, desk.record.id, found.made.number)
    beside: list[Write] = [link.write(found.made.end)]
    beside += noted(found.made, entry, found.doors, desk, on)
    ended = found.why_ended()
    changes = [_ended(change, ended, on) if ended else _going_on(change, found, on)]
    if ended is None:
        replaced = [key for key in found.alike if isinstance(key.credential.state, Failed)]
        for key in replaced:
            changes.append(Change(replace(key, revival=replace(key.revival, let_go=True))))
            beside += await task_closed(key, ledger)
        if found.made.kind not in CARDS:
            changes += await _overtaken(found, ledger, on)
        gone = {change.entry.id for change in changes[1:]}
        named = (*(each for each in found.record.credentials if each not in gone), entry.id)
        beside.append(replace(found.record, credentials=named).write())
    await sealed(found.made, entry, grants, desk, on)
    for saved in await ledger.save_all(changes, *beside):
        await begin_work(saved, ledger, on.keys)
    on.keys.log.info("a desk's key is in the ledger", keyCredentialId=entry.id, localId=found.made.local)
    return entry.id


async def _overtaken(found: Found, ledger: Ledger, on: DeskServices) -> list[Change]:
    """Return the end of keys that are yet to be made: their PIN is another than the guest was told."""
    ends = []
    for key in found.waiting:
        order = Order(key.cause, on.now)
        ended = end_key(key, await ledger.grants(key), RevokeReason.REPLACED, order)
        ends += [] if ended is None else [ended]
    return ends


async def _made(found: Found, desk: KnownDesk, on: DeskServices) -> Change:
    """Return the key as the desk made it: requested, accepted and provisioned, at the locks that it opens."""
    made, at = found.made, min(found.made.issued_at, on.now)
    replaces = await _replaced(made, desk)
    core = CredentialCore(
        id=KeyCredentialId.mint(on.keys.ids.ulid()),
        tenant=desk.tenant,
        property_id=desk.record.property_id,
        holder=found.stay.held_by(found.record.id),
        rooms=made.rooms,
        window=found.window,
        plan=IssuePlan((Choice(VendorCode(made.vendor), made.kind),)),
        claim=_claim(found),
        origin=Origin.DESK,
        local_id=made.local,
        replaces=replaces,
        role=_role(found, replaces),
    )
    credential, facts = KeyCredential.request(core, at=at)
    for command in (Accept(at=at), Provision(at=at)):
        credential, more = credential.apply(command)
        facts += more
    saga, trace = Saga(kind=Work.ISSUE, claim=core.claim), _trace(on)
    entry = KeyRecord(credential, saga, Cause(trace), due=on.now + STARTED_WITHIN)
    target = Target(core.rooms, core.window)
    grants = [new_grant(entry, door, target, (), at, on.keys.ids) for door in found.doors]
    return Change(entry, facts, tuple(_placed(kept, found) for kept in grants))


def _placed(kept: GrantRecord, found: Found) -> GrantRecord:
    at = found.made.issued_at
    standing = KeyAtLockRecord(found.made.start, found.made.end)
    placed = kept.applied(Place(at=at, placement=Placement.ON_LOCK, exposure_until=found.made.end))
    return replace(placed, standing=standing)


def _ended(change: Change, reason: RevokeReason, on: DeskServices) -> Change:
    """Return the key as it was made, and ended in the same commit."""
    ended = end_key(change.entry, change.grants, reason, Order(change.entry.cause, on.now))
    return change if ended is None else _after(change, ended)


def _going_on(change: Change, found: Found, on: DeskServices) -> Change:
    """Return the key as it was made: at rest where the stay is held, and on its way to the stay's own end."""
    order = Order(change.entry.cause, on.now)
    for reason in sorted(found.record.holds):
        held = hold_key(change.entry, change.grants, reason, order)
        change = change if held is None else _after(change, held)
    if found.stay.end <= found.made.end + SLACK or found.record.holds:
        return change
    target = Target(found.made.rooms, replace(found.window, end=found.stay.end))
    longer = amend_key(change.entry, change.grants, target, found.doors, order, on.keys.ids)
    return change if longer is None else _after(change, longer)


def _after(first: Change, then: Change) -> Change:
    """Return two changes of a new key as one."""
    later = {kept.grant.id: kept for kept in then.grants}
    grants = tuple(later.pop(kept.grant.id, kept) for kept in first.grants)
    facts: tuple[Fact, ...] = (*first.facts, *then.facts)
    return Change(then.entry, facts, (*grants, *later.values()))


def _claim(found: Found) -> ClaimKey:
    """Return the stay's own claim, where the key takes the place of one that failed; else one of its own."""
    failed = any(isinstance(key.credential.state, Failed) for key in found.alike)
    own = ClaimKey(f"sha256:{hashlib.sha256(f'desk|{found.made.local}'.encode()).hexdigest()}")
    return found.record.claim or own if failed else own


def _role(found: Found, replaces: CredentialId | None) -> SetRole:
    if replaces is not None:
        return SetRole.REPLACEMENT
    used = any(isinstance(key.credential.state, Active | Suspended) for key in found.alike)
    return SetRole.COPY if used else SetRole.FIRST


async def _replaced(made: MadeAlone, desk: KnownDesk) -> CredentialId | None:
    """Return which key of the ledger is replaced: the desk may name it by a name of its own."""
    if made.replaces is None:
        return None
    known = await local_key(made.replaces, desk.store)
    return known.key if known else None


def _trace(on: DeskServices) -> str:
    token = on.keys.entropy.token(24).hex()
    return f"00-{token[:32]}-{token[32:]}-01"
