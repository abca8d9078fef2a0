"""A master key is brought to what it is to be now: by whoever changed something of it, and by the sweeper.

1. Is it over? Its window, the word of a person, or all its credentials having been ended say so.
2. Its reach is looked up anew: rooms, doors, lifts and open tasks as they are, shared out by vendor.
3. Each credential follows (`steer_key`); what none opens yet is requested; one that opens nothing rests.
   One whose PIN a lock refuses makes way for another, and opens until that is made (decision 0221).
4. One commit: credentials with their wishes and events, and the master key with what is to be told of it.
5. Work is begun, the master key's own events are told, and `due` says when to look again.

Looking again changes nothing where nothing changed, so a crash anywhere costs a minute.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.ids import KeyCredentialId
from shared.domain.kinds import SAGA, Actor, ClaimKey, RevokeReason, VendorCode
from shared.domain.master_key import ExpiryTrigger, MasterKeyState, PerShift
from shared.domain.states import Active, Failed, Revoked
from shared.domain.window import StayWindow
from shared.events.idempotency import claim_key
from shared.keywork.manual_task import task_closed
from shared.keywork.orders import Order, end_key
from shared.keywork.services import Services
from shared.keywork.start import begin_work
from shared.ledger.delays import ANEW_AFTER
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ledger.master_key_record import MasterKeyRecord, find_master_key, telling
from shared.ports.documents import Create, StaleVersion, StorageFull, Write
from shared.ports.trouble import ServiceTrouble
from shared.usecases.staff.held_keys import is_stopped
from shared.usecases.staff.reach import Bunch, bunches_of, house_of, reach_of
from shared.usecases.staff.steer_key import AHEAD, Steering, replaced, requested_key, settled, steered
from shared.usecases.upkeep.hand_over import keep_for_now

LOOK_AGAIN: Final = timedelta(minutes=1)
"""While a credential is made or moved, somebody looks so often how far it is."""


@dataclass(frozen=True, slots=True)
class Following:
    """A master key that is followed: its credentials that are not over, and those that failed."""

    record: MasterKeyRecord
    living: tuple[KeyRecord, ...]
    failed: tuple[KeyRecord, ...]
    ledger: Ledger
    services: Services
    by: Actor = SAGA
    replaced: bool = False
    """Whether a credential ended for another to come in its place: a lock is out of use that knew it."""

    @property
    def order(self) -> Order:
        """What its credentials are told with."""
        return Order(self.record.cause, self.services.now, self.by)

    @property
    def work(self) -> StayWindow | None:
        """When its holder is at work."""
        return self.record.master_key.duty(self.services.now)

    def again_at(self, vendor: VendorCode) -> datetime | None:
        """Return when another credential is requested in place of those that a vendor did not make."""
        states = [each.credential.state for each in self.failed if _made_by(each) == vendor]
        failed_at = [state.failed_at for state in states if isinstance(state, Failed)]
        if not failed_at:
            return None
        return max(failed_at) + ANEW_AFTER[min(len(failed_at), len(ANEW_AFTER)) - 1]


async def tend_master_key(name: str, ledger: Ledger, services: Services) -> bool:
    """Look at a master key whose time has come; return whether it had."""
    record = await find_master_key(ledger.documents, name)
    if record is None or not record.is_due(services.now):
        return False
    await follow_master_key(record, ledger, services)
    return True


async def follow_master_key(
    record: MasterKeyRecord,
    ledger: Ledger,
    services: Services,
    beside: Sequence[Write] = (),
    by: Actor = SAGA,
) -> MasterKeyRecord:
    """Bring a master key to what it is to be now, saved together with what belongs beside it."""
    it = await _following(record, ledger, services, by)
    why = await _why_over(it)
    if why is not None:
        return await end_master_key(record, why, ledger, services, beside=beside, by=by)
    known, missing = await _shared_out(it)
    steerings = [each for each in known if not each.refused]
    changes = [change for each in steerings if (change := steered(each, it.order, services)) is not None]
    requested = [_requested(it, bunch) for bunch in missing if _is_time(it, bunch)]
    for each in known:
        if each.refused:
            ended, anew = replaced(each, it.order, services)
            changes, requested = [*changes, ended], [*requested, anew]
    tasks = [task for entry in it.failed if requested for task in await task_closed(entry, ledger)]
    named = _naming(record, requested)
    issued, rows = _issued(named, it)
    busy = bool(changes or requested) or not all(settled(each, services.now) for each in steerings)
    due = _due(it, missing, busy=busy)
    saved = await _save(replace(issued, due=due), [*changes, *requested], [*rows, *tasks, *beside], it)
    return await _told(saved, due, it)


async def end_master_key(
    record: MasterKeyRecord,
    why: ExpiryTrigger,
    ledger: Ledger,
    services: Services,
    *,
    beside: Sequence[Write] = (),
    by: Actor = SAGA,
) -> MasterKeyRecord:
    """End a master key and every credential of it, at once and whatever their states."""
    it = await _following(record, ledger, services, by)
    key, rows = record.master_key, list[Write]()
    if key.over:
        over = record
    elif not key.credentials:  # nobody ever heard of it: there is no key to name
        over = replace(record, master_key=replace(key, state=MasterKeyState.EXPIRED))
    else:
        expired, fact = key.expired(services.now, why)
        over, row = telling(replace(record, master_key=expired), fact, by, services.ids)
        rows.append(row)
    ends = [end_key(entry, await ledger.grants(entry), why.reason, it.order) for entry in it.living]
    tasks = [task for entry in it.failed for task in await task_closed(entry, ledger)]
    changes = [change for change in ends if change is not None]
    saved = await _save(replace(over, due=None), changes, [*rows, *tasks, *beside], it)
    return await _told(saved, None, it)


async def _following(record: MasterKeyRecord, ledger: Ledger, services: Services, by: Actor) -> Following:
    found = [await ledger.entry(name) for name in record.master_key.credentials]
    entries = [entry for entry in found if entry is not None]
    living = tuple(each for each in entries if not isinstance(each.credential.state, Revoked | Failed))
    failed = tuple(each for each in entries if isinstance(each.credential.state, Failed))
    return Following(record, living, failed, ledger, services, by, any(map(_replaced, entries)))


def _replaced(entry: KeyRecord) -> bool:
    state = entry.credential.state
    # Where another is named, it is that one's end that counts.
    return isinstance(state, Revoked) and state.reason is RevokeReason.REPLACED and state.replaced_by is None


async def _why_over(it: Following) -> ExpiryTrigger | None:
    """Say why a master key is over, though nobody said so of it."""
    key = it.record.master_key
    if key.over or key.window.end <= it.services.now:
        return ExpiryTrigger.WINDOW_ENDED
    if await is_stopped(key.staff, it.ledger):
        return ExpiryTrigger.USER_DEACTIVATED  # its shift began while they lost their account
    ended = bool(key.credentials) and not (it.living or it.failed or it.replaced)
    return ExpiryTrigger.OPERATOR if ended else None


async def _shared_out(it: Following) -> tuple[list[Steering], list[Bunch]]:
    """Return each living credential with the bunch of doors it is to open, and the bunches that have none."""
    key, documents = it.record.master_key, it.ledger.documents
    premises = await it.services.hotels.premises(key.tenant, key.property_id)
    premises.check_open()
    house = await house_of(documents, key.property_id, key.staff, premises)
    left = list(bunches_of(reach_of(key, house), premises, key.wished))
    steerings = []
    for entry in it.living:
        bunch = next((each for each in left if _fits(entry, each)), None)
        left = [each for each in left if each is not bunch]
        steerings.append(Steering(entry, await it.ledger.grants(entry), bunch, it.work))
    return steerings, ([] if it.work is None else left)


def _fits(entry: KeyRecord, bunch: Bunch) -> bool:
    """Say whether a credential can open all doors of a bunch, or may be about to."""
    plan = entry.credential.core.plan
    if entry.to_be_made:
        return plan.current.vendor == bunch.vendor
    return plan.current.vendor == bunch.vendor and plan.current.kind in bunch.kinds


def _is_time(it: Following, bunch: Bunch) -> bool:
    again = it.again_at(bunch.vendor)
    return again is None or again <= it.services.now


def _made_by(entry: KeyRecord) -> VendorCode:
    return entry.credential.core.plan.choices[0].vendor


def _requested(it: Following, bunch: Bunch) -> Change:
    key, id_ = it.record.master_key, KeyCredentialId.mint(it.services.ids.ulid())
    assert it.work is not None  # noqa: S101 - nothing is wanted of whoever has no work ahead
    # B §3 claims by the shift; a standing key is the claim of its own.
    shift = key.regime.shift_id if isinstance(key.regime, PerShift) else str(key.id)
    claim = ClaimKey(claim_key("issue-master", shift_id=shift))
    return requested_key(key, bunch, it.work, claim, it.order, id_)


def _naming(record: MasterKeyRecord, requested: Sequence[Change]) -> MasterKeyRecord:
    made = tuple(KeyCredentialId(change.entry.id) for change in requested)
    return replace(
        record, master_key=replace(record.master_key, credentials=(*record.master_key.credentials, *made))
    )


def _issued(record: MasterKeyRecord, it: Following) -> tuple[MasterKeyRecord, list[Create]]:
    """Tell that the holder has a key, once a credential is active."""
    if record.master_key.state is not MasterKeyState.REQUESTED:
        return record, []
    for entry in it.living:
        state = entry.credential.state
        if isinstance(state, Active):
            window = entry.credential.core.window
            live, fact = record.master_key.issued(state.key.issued_at, entry.id, state.key.kind, window)
            told, row = telling(replace(record, master_key=live), fact, record.by, it.services.ids)
            return told, [row]
    return record, []


def _due(it: Following, missing: Sequence[Bunch], *, busy: bool) -> datetime:
    """Return when to look again: soon while something is under way, else when work begins or ends."""
    now, key, work = it.services.now, it.record.master_key, it.work
    edges = [key.window.end, *([] if work is None else [work.start - AHEAD, work.end])]
    edges += [again for bunch in missing if (again := it.again_at(bunch.vendor)) is not None]
    soon = [now + LOOK_AGAIN] if busy else []
    return min([edge for edge in edges if edge > now] + soon, default=now + LOOK_AGAIN)


async def _save(
    record: MasterKeyRecord, changes: Sequence[Change], beside: Sequence[Write], it: Following
) -> MasterKeyRecord:
    """Save a master key with its credentials, and begin their work; until it is told, it is due soon."""
    untold = replace(record, due=it.services.now + LOOK_AGAIN) if record.unannounced else record
    documents = it.ledger.documents
    if not changes:
        version, *_ = await documents.commit([untold.write(), *beside])
        return replace(untold, version=version)
    saved = await it.ledger.save_all(changes, untold.write(), *beside)
    for each, change in zip(saved, changes, strict=True):
        if (change.facts or change.grants) and not await keep_for_now(each.entry, it.ledger, it.services):
            await begin_work(each, it.ledger, it.services)
    known = await find_master_key(documents, record.id)
    return untold if known is None else known


async def _told(record: MasterKeyRecord, due: datetime | None, it: Following) -> MasterKeyRecord:
    """Announce what happened to a master key, and note when to look again."""
    if not record.unannounced:
        return record
    try:
        told = replace(await record.announce(it.ledger.documents, it.services.bus), due=due)
    except (ServiceTrouble, StorageFull) as trouble:
        it.services.log.failure("what happened to a master key could not be announced yet", trouble)
        return record
    with contextlib.suppress(StaleVersion):
        await it.ledger.documents.note([told.write()])
    return told
