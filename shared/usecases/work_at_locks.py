"""What an adapter function does when a saga calls: make a key at its locks, or take one back."""

from shared.domain.lock_errors import LockError
from shared.ledger.key_record import KeyRecord, Work
from shared.usecases.conclude_issue import refuse_to_issue
from shared.usecases.issue_at_locks import issue_at_locks
from shared.usecases.lock_desk import LockDesks
from shared.usecases.saga_step import DONE, SUPERSEDED, StepCall, Verdict, ask, followed
from shared.usecases.services import Services
from shared.usecases.task_at_locks import Task, claimed
from shared.usecases.whom_to_ask import whom_to_ask
from shared.usecases.withdraw_at_locks import refuse_to_withdraw, withdraw_at_locks


async def work_at_locks(call: StepCall, services: Services, desks: LockDesks) -> Verdict:
    """Do one attempt, and say what the saga is to do next."""
    ledger = await services.ledger(call.tenant)
    entry = await followed(call, ledger)
    if entry is None:
        return SUPERSEDED
    task = Task(claimed(entry, call), ledger, services, desks.vendor)
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
