"""What an adapter function does when a saga calls: one attempt at a key, whatever is to become of it.

claim → prepare (grants and secret before any call) → the loop over its locks → decide → one save → publish →
verdict. The works are a table; a third would be one row more.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import minted_at
from shared.domain.instants import instant
from shared.domain.lock_errors import LockError
from shared.keywork.attempt import AttemptContext, claimed
from shared.keywork.desired import whom_to_ask
from shared.keywork.issue import issue_at_locks, refuse_to_issue
from shared.keywork.services import Services
from shared.keywork.settle import refuse_to_settle, settle_at_locks
from shared.keywork.vendor_session import VendorSession, VendorSessions
from shared.keywork.verdicts import DONE, SUPERSEDED, StepCall, Verdict, ask, followed
from shared.ledger.key_record import KeyRecord, Work
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


async def work_at_locks(call: StepCall, services: Services, desks: VendorSessions) -> Verdict:
    """Do one attempt, and say what the saga is to do next."""
    ledger = services.ledger_of_key(call.tenant)
    try:
        entry = await followed(call, ledger)
    except InvalidInput:
        await services.hotels.admit(call.tenant)  # who is not of this cell at all is refused for that
        raise
    if entry is None:
        return SUPERSEDED
    task, doing = AttemptContext(claimed(entry, call), ledger, services, desks.vendor), WORKS[entry.saga.kind]
    if doing.by_plan and (maker := whom_to_ask(entry, ())) != desks.vendor:
        return ask(maker) if maker else _nothing_left(entry)
    try:
        desk = await desks.at(entry.credential.tenant, entry.credential.core.property_id)
    except LockError as closed:
        return await doing.refuse(task, closed)
    with hurrying(_hurry(entry)):
        return await doing.attempt(task, desk)


def _hurry(entry: KeyRecord) -> Hurry:
    """Say for whose arrival this is done, and since when they wait: by that it stands in every line."""
    core = entry.credential.core
    return Hurry(arrives=core.window.start, since=instant(minted_at(core.id)))


def _nothing_left(entry: KeyRecord) -> Verdict:
    # Whoever held the saga did its work; if nobody did, it was ended without this execution.
    return DONE if entry.saga.execution else SUPERSEDED
