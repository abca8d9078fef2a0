"""A key that is due: what is untold is told, and work that nobody does is begun anew."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from shared.domain.core import Guest
from shared.domain.kinds import RevokeReason, VendorCode
from shared.domain.states import Failed
from shared.keywork.desired import act_for, hopeful, next_vendor
from shared.keywork.give_up_lost import alarm_of_delay, fail_overdue, give_up_lost
from shared.keywork.next_due import unreported_checkout_at
from shared.keywork.revival import awaited
from shared.keywork.services import Services
from shared.keywork.start import begin_saga, begin_work, publish_or_defer, publish_pending, worked_on
from shared.ledger.delays import (
    ASKED_STILL_EVERY,
    LAPSED_EVERY,
    MOST_BROKEN,
    MOST_LOST,
    NEEDED_WITHIN,
    RESIDUE_EVERY,
    STEP_LEASE,
)
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import Cause, KeyRecord, Saga, Work
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reservation import Status, ref_of, reservation_from
from shared.usecases.stays.end_keys import ending_of
from shared.usecases.upkeep.hand_over import keep_for_now
from shared.usecases.upkeep.replace_refused import replace_if_refused
from shared.usecases.upkeep.revive_key import revive_if_due


async def tend_if_due(credential: str, ledger: Ledger, services: Services) -> bool:
    """Tend a key if its time has come; return whether it had."""
    entry = await ledger.entry(credential)
    if entry is None or entry.due is None or entry.due > services.now:
        return False
    await _tend(entry, ledger, services)
    return True


async def _tend(entry: KeyRecord, ledger: Ledger, services: Services) -> None:
    over = unreported_checkout_at(entry)
    if over is not None and over <= services.now:
        await _end(entry, ledger, services)
        return
    if await keep_for_now(entry, ledger, services):
        return
    if awaited(entry) is not None:
        entry = await revive_if_due(entry, ledger, services)
    grants = await _grants(entry, ledger)
    goes_on = await replace_if_refused(entry, grants, ledger, services)
    if goes_on is not None:
        await _go_on(goes_on, grants, ledger, services)


async def _go_on(entry: KeyRecord, grants: Sequence[GrantRecord], ledger: Ledger, services: Services) -> None:
    """Have what is owed to a key done, by whoever is at it or by another execution."""
    vendor, later = next_vendor(entry, grants), _residue_due(entry, grants, services)
    if vendor is None or later is not None:
        await publish_pending(entry, ledger, services.bus, due=later)
    elif await worked_on(entry.saga, services):
        await ledger.save(Change(entry.due_in(STEP_LEASE, services.now)))
    elif _too_late(entry, services):
        await fail_overdue(entry, ledger, services)
    elif is_to_wait(entry.saga, services.now):
        from shared.usecases.upkeep.serve_waiting import look_at_vendor

        await look_at_vendor(entry, vendor, ledger, services)
    elif not _in_vain(entry.saga):
        await begin_in_line(entry, vendor, ledger, services)
    elif _in_no_hurry(entry, services):
        await begin_again(entry, vendor, ledger, services, ASKED_STILL_EVERY)
    else:
        await give_up_lost(entry, ledger, services)


def is_to_wait(saga: Saga, now: datetime) -> bool:
    """Say whether a parked key's vendor is asked again later, unless it is well before."""
    return saga.parked and saga.asks_at is not None and now < saga.asks_at


async def begin_in_line(entry: KeyRecord, vendor: VendorCode, ledger: Ledger, services: Services) -> None:
    """Begin a key's work anew; what waits out its vendor's trouble, no faster than such may be begun."""
    line, now = services.line, services.now
    later = line.later(entry.saga, vendor, now)
    if later is None:
        watching = replace(entry, saga=line.watched(entry.saga, vendor, now))
        await begin_again(watching, vendor, ledger, services)
    else:
        await ledger.save(Change(replace(entry, saga=replace(entry.saga, placed=True), due=later)))


async def _end(entry: KeyRecord, ledger: Ledger, services: Services) -> None:
    """Take back what its guest no longer needs: their stay is over, though nobody told us of its end."""
    unprompted = Cause(entry.cause.trace_id)
    for change in await ending_of(entry, await _why(entry, ledger), unprompted, ledger, services.now):
        await begin_work(await ledger.save(change), ledger, services)


async def _why(entry: KeyRecord, ledger: Ledger) -> RevokeReason:
    """Tell a stay that is over from one that goes on with other keys, beside which this one was kept."""
    holder = entry.credential.core.holder
    found = await ledger.documents.get(ref_of(holder.reservation_id)) if isinstance(holder, Guest) else None
    record = None if found is None else reservation_from(found)
    if record is None or record.status is not Status.CONFIRMED or record.claim == entry.credential.core.claim:
        return RevokeReason.CHECKOUT
    return RevokeReason.REPLACED


async def begin_again(
    entry: KeyRecord,
    vendor: VendorCode,
    ledger: Ledger,
    services: Services,
    looked_after: timedelta = STEP_LEASE,
) -> None:
    """Begin a key's work for an execution yet to come; the present one, if any, is refused from now on."""
    told = await publish_or_defer(entry, ledger, services)
    again = replace(told, saga=entry.saga.next_generation()).due_in(looked_after, services.now)
    # Saved first: of all who come by at this moment, one goes on.
    saved = (await ledger.save(Change(again))).entry
    if saved.saga.unclaimed_starts == MOST_LOST and _in_no_hurry(saved, services):
        alarm_of_delay(saved, services)
    await begin_saga(saved, vendor, ledger, services)


async def _grants(entry: KeyRecord, ledger: Ledger) -> tuple[GrantRecord, ...]:
    return () if entry.saga.kind is Work.ISSUE else await ledger.grants(entry)


def _residue_due(entry: KeyRecord, grants: Sequence[GrantRecord], services: Services) -> datetime | None:
    """Return when what a failed key left is asked for next, if that is later: it is looked at more often."""
    if not isinstance(entry.credential.state, Failed) or any(map(hopeful, grants)):
        return None
    left = [kept for kept in grants if act_for(kept) is not None]
    asked = max((kept.asked_last or kept.grant.changed_at for kept in left), default=None)
    lapsed = all(kept.lapsed(services.now) for kept in left)
    due = None if asked is None else asked + (LAPSED_EVERY if lapsed else RESIDUE_EVERY)
    return due if due is not None and due > services.now else None


def _too_late(entry: KeyRecord, services: Services) -> bool:
    return entry.saga.kind is Work.ISSUE and entry.credential.core.window.end <= services.now


def _in_vain(saga: Saga) -> bool:
    """Say whether nobody can do the work: attempts to make a key that break off are counted by themselves."""
    broken = saga.kind is Work.SETTLE and saga.aborted_runs >= MOST_BROKEN
    return broken or saga.unclaimed_starts >= MOST_LOST


def _in_no_hurry(entry: KeyRecord, services: Services) -> bool:
    """Say whether a key has time until it is needed: hours of our own trouble must not cost it."""
    return entry.saga.kind is Work.ISSUE and entry.credential.core.window.start > services.now + NEEDED_WITHIN
