"""What an adapter function does when a saga calls: make a key at its locks, or take one back."""

from shared.domain.lock_errors import LockError
from shared.keywork.attempt import AttemptContext, claimed
from shared.keywork.decide_issue import refuse_to_issue
from shared.keywork.issue import issue_at_locks
from shared.keywork.next_vendor import whom_to_ask
from shared.keywork.services import Services
from shared.keywork.settle import refuse_to_withdraw, withdraw_at_locks
from shared.keywork.vendor_session import VendorSessions
from shared.keywork.verdicts import DONE, SUPERSEDED, StepCall, Verdict, ask, followed
from shared.ledger.key_record import KeyRecord, Work


async def work_at_locks(call: StepCall, services: Services, desks: VendorSessions) -> Verdict:
    """Do one attempt, and say what the saga is to do next."""
    ledger = await services.ledger(call.tenant)
    entry = await followed(call, ledger)
    if entry is None:
        return SUPERSEDED
    task = AttemptContext(claimed(entry, call), ledger, services, desks.vendor)
    issuing = entry.saga.kind is Work.ISSUE
    if issuing and (maker := whom_to_ask(entry, ())) != desks.vendor:
        return ask(maker) if maker else _nothing_left(entry)
    try:
        desk = await desks.at(entry.credential.tenant, entry.credential.core.property_id)
    except LockError as closed:
        return await (refuse_to_issue if issuing else refuse_to_withdraw)(task, closed)
    return await (issue_at_locks if issuing else withdraw_at_locks)(task, desk)


def _nothing_left(entry: KeyRecord) -> Verdict:
    # Whoever held the saga did its work; if nobody did, it was ended without this execution.
    return DONE if entry.saga.execution else SUPERSEDED
