"""Work whose every execution is lost: nobody can do it, so a person is told what there is, and is not."""

from dataclasses import replace
from typing import Final

from shared.domain.commands import Fail
from shared.domain.kinds import FailureReason
from shared.domain.lock_errors import LockErrorCause, VendorUnreachable
from shared.keywork.attempt import AttemptContext
from shared.keywork.decide_settle import conclude_settling
from shared.keywork.desired import act_for, hopeful
from shared.keywork.errand import Errand, SettleAttempt, forgotten
from shared.keywork.manual_task import alarm, manual_tasks
from shared.keywork.services import Services
from shared.ledger.key_record import KeyRecord, Work
from shared.ledger.ledger import Change, Ledger
from shared.ports.lock_causes import LockCause

LOST: Final = LockErrorCause(LockCause.ADAPTER_LOST)


async def give_up_lost(entry: KeyRecord, ledger: Ledger, services: Services) -> None:
    """Fail a key that no step can make, or write down who can still open what no step can take back."""
    vendor = entry.credential.core.plan.current.vendor
    task = AttemptContext(entry, ledger, services, vendor)
    if entry.saga.kind is Work.ISSUE:
        await _fail(task, FailureReason.KEY_ISSUE_FAILED)
    else:
        await _leave(task)


def alarm_of_delay(entry: KeyRecord, services: Services) -> None:
    """Tell somebody that a key is asked for in vain, while there is time until its stay."""
    reason = "its saga is begun, and does nothing: it is begun still, until two hours before the stay"
    alarm(entry.credential.core, reason, services.log, cause=LOST.kind)


async def fail_overdue(entry: KeyRecord, ledger: Ledger, services: Services) -> None:
    """Fail a key whose stay is over before it was made."""
    vendor = entry.credential.core.plan.current.vendor
    await _fail(AttemptContext(entry, ledger, services, vendor), FailureReason.CREDENTIAL_EXPIRED)


async def _fail(task: AttemptContext, reason: FailureReason) -> None:
    now = task.now
    grants = tuple(kept.withdrawn(now) for kept in await task.grants() if not kept.over)
    credential, facts = task.entry.credential.apply(Fail(at=now, reason=reason))
    entry = replace(task.entry, credential=credential, saga=task.entry.saga.switched_to(Work.SETTLE))
    change = Change(replace(entry, due=now if grants else None), facts, grants)
    await task.ended(change, *manual_tasks([change], task.services.log))


async def _leave(task: AttemptContext) -> None:
    grants = await task.grants()
    error = VendorUnreachable(vendor=task.vendor, cause=LOST, permanent=True)
    owed = [Errand(kept, act, error=error) for kept in grants if hopeful(kept) and (act := act_for(kept))]
    errands = (*owed, *(Errand(kept) for kept in grants if forgotten(kept, task.now)))
    found = replace(task, entry=replace(task.entry, saga=replace(task.entry.saga, unclaimed_starts=0)))
    await conclude_settling(SettleAttempt(found, grants, errands))
