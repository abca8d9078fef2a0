"""What an adapter function does when a saga calls: one attempt at a key, whatever is to become of it.

claim → prepare (grants and secret before any call) → the loop over its locks → decide → one save → publish →
verdict. The works are a table; a third would be one row more.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from shared.domain.core import Guest
from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId, minted_at
from shared.domain.instants import instant
from shared.domain.lock_errors import LockError
from shared.kernel.spans import describe, follow
from shared.kernel.together import gather_both
from shared.keywork.attempt import AttemptContext, claimed
from shared.keywork.desired import next_vendor
from shared.keywork.issue import issue_at_locks, refuse_to_issue
from shared.keywork.leeway import kept_to_itself
from shared.keywork.next_build import handed_over
from shared.keywork.services import Services
from shared.keywork.settle import refuse_to_settle, settle_at_locks
from shared.keywork.vendor_session import VendorSession, VendorSessions
from shared.keywork.verdicts import DONE, SUPERSEDED, StepCall, Verdict, ask, followed, parked
from shared.ledger.delays import LONGEST_SLEEP
from shared.ledger.key_record import KeyRecord, Work
from shared.ledger.ledger import Change, Ledger
from shared.vendor_kit.calm.urgency import Hurry, hurrying


@dataclass(frozen=True, slots=True)
class _Doing:
    """How a work is done at one vendor, and what becomes of it where the vendor cannot even be asked."""

    attempt: Callable[[AttemptContext, VendorSession], Awaitable[Verdict]]
    refuse: Callable[[AttemptContext, LockError], Awaitable[Verdict]]
    by_plan: bool = False
    """Whether the key's plan says whose work it is; else any vendor at whose locks something is owed."""


WORKS: Final[Mapping[Work, _Doing]] = {
    Work.ISSUE: _Doing(issue_at_locks, refuse_to_issue, by_plan=True),
    Work.SETTLE: _Doing(settle_at_locks, refuse_to_settle),
}


async def make_attempt(
    call: StepCall, services: Services, desks: VendorSessions, *, hands_over: bool = False
) -> Verdict:
    """Do one attempt, and say what the saga is to do next; where it may, hand it to a build on trial."""
    ledger = services.ledger_of_key(call.tenant)
    try:
        entry = await _taken_up(call, ledger, desks)
    except InvalidInput:
        await services.hotels.admit(call.tenant)  # who is not of this cell at all is refused for that
        raise
    if entry is None:
        return SUPERSEDED
    follow(entry.cause.trace_id)
    verdict = await _attempted(entry, call, services, desks, hands_over=hands_over)
    told = _told(entry, desks, verdict)
    describe(**told)
    services.log.info("an attempt was made", **told)
    return verdict


async def _taken_up(call: StepCall, ledger: Ledger, desks: VendorSessions) -> KeyRecord | None:
    """Return the entry that is worked on; what its desk is made of is read beside it, if nobody has it."""
    if call.place is None or desks.knows(TenantId(call.tenant), PropertyId(call.place)):
        return await followed(call, ledger)
    foreseen = desks.foresee(TenantId(call.tenant), PropertyId(call.place))
    _, entry = await gather_both(foreseen, followed(call, ledger))
    return entry


async def _attempted(
    entry: KeyRecord, call: StepCall, services: Services, desks: VendorSessions, *, hands_over: bool
) -> Verdict:
    ledger = services.ledger_of_key(call.tenant)
    task, doing = AttemptContext(claimed(entry, call), ledger, services, desks.vendor), WORKS[entry.saga.kind]
    if doing.by_plan and (maker := next_vendor(entry, ())) != desks.vendor:
        return ask(maker) if maker else _nothing_left(entry)
    try:
        desk = await desks.at(entry.credential.tenant, entry.credential.core.property_id)
    except LockError as closed:
        return await doing.refuse(task, closed)
    if await services.hotels.is_uncompared(call.tenant):
        return await _left_alone(task)
    on_trial = desk.premises.property.next_build(desks.vendor) if hands_over else None
    if await handed_over(entry, call, on_trial, ledger.documents, services):
        return replace(ask(desks.vendor), next_build=True)
    with hurrying(_hurry(entry)):
        verdict = await doing.attempt(task, desk)
    await kept_to_itself(task, desk.premises.policy)
    return verdict


async def _left_alone(task: AttemptContext) -> Verdict:
    """Let a key wait whose company was brought from another cell: all its locks are compared first."""
    later, verdict = parked(task.entry, task.now + LONGEST_SLEEP, task.now)
    await task.ended(Change(later))
    return verdict


def _hurry(entry: KeyRecord) -> Hurry:
    """Say for whose arrival this is done, and since when they wait: by that it stands in every line."""
    core = entry.credential.core
    return Hurry(arrives=core.window.start, since=instant(minted_at(core.id)))


def _told(entry: KeyRecord, desks: VendorSessions, verdict: Verdict) -> dict[str, Any]:
    """Return what is told of an attempt (A §13.3): of what, for whom, and what came of it; no secret."""
    core = entry.credential.core
    return {
        "tenantId": entry.credential.tenant,
        "keyCredentialId": entry.id,
        "reservationId": core.holder.reservation_id if isinstance(core.holder, Guest) else None,
        "vendor": desks.vendor,
        "action": entry.saga.kind.value,
        "result": verdict.outcome.value,
    }


def _nothing_left(entry: KeyRecord) -> Verdict:
    # Whoever held the saga did its work; if nobody did, it was ended without this execution.
    return DONE if entry.saga.execution else SUPERSEDED
