"""A key that could not be made is an alarm, and a task for the desk; the booking stays as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final

from shared.domain.core import CredentialCore, Guest
from shared.domain.documents import to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, PropertyId, ReservationId, RoomId
from shared.domain.kinds import FailureReason
from shared.domain.lock_errors import KeyIssueFailed
from shared.domain.states import Failed
from shared.kernel.log import Log
from shared.keywork.revival import told_anew
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ports.documents import Create, Delete, Ref

MANUAL_TASKS: Final = "manual_tasks"


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualTask:
    """A key that somebody at the desk is to make by hand."""

    schema_version: ClassVar[int] = 1

    credential_id: CredentialId
    property_id: PropertyId
    reservation_id: ReservationId | None
    rooms: tuple[RoomId, ...]
    reason: FailureReason
    raised_at: datetime


def manual_tasks(changes: Sequence[Change], log: Log) -> list[Create]:
    """Return the tasks of those keys that failed, and alarm: before they are saved, lest a crash keeps it."""
    return [
        _task(each.entry, state, log)
        for each in changes
        if isinstance(state := each.entry.credential.state, Failed)
    ]


async def task_closed(entry: KeyRecord, ledger: Ledger) -> list[Delete]:
    """Return what closes the task of a key that nobody needs any more, if it has one."""
    if not isinstance(entry.credential.state, Failed):
        return []
    found = await ledger.documents.get(Ref(MANUAL_TASKS, entry.id))
    return [] if found is None else [Delete(found.ref, found.version)]


def alarm_of_loss(ended: Sequence[Change], refusal: InvalidInput, now: datetime, log: Log) -> None:
    """Alarm for each key that ends while its guest is in the house, and that no other follows."""
    for core in (change.entry.credential.core for change in ended):
        if core.window.covers(now):
            said = {"field": refusal.field, "problem": refusal.problem, "remedy": refusal.remedy}
            alarm(core, "the stay was changed: its key is ended, and it can have no other", log, **said)


def alarm(core: CredentialCore, reason: str, log: Log, code: str | None = None, **more: str) -> None:
    """Alarm that a guest may come who has no key."""
    log.alert(
        KeyIssueFailed.code,
        runbook="lock/key-issue",
        keyCredentialId=core.id,
        tenantId=core.tenant,
        reservationId=reservation_of(core),
        rooms=list(core.rooms),
        reason=reason,
        code=code,
        **more,
    )


def _task(entry: KeyRecord, state: Failed, log: Log) -> Create:
    core, made = entry.credential.core, entry.credential.core.plan.made
    if told_anew(entry, state):
        alarm(core, state.reason.value, log, code=made[-1].problem if made else None)
    task = ManualTask(
        credential_id=core.id,
        property_id=core.property_id,
        reservation_id=reservation_of(core),
        rooms=core.rooms,
        reason=state.reason,
        raised_at=entry.revival.first_failed or state.failed_at,
    )
    return Create(Ref(MANUAL_TASKS, core.id), to_document(task))


def reservation_of(core: CredentialCore) -> ReservationId | None:
    """Return the stay of a guest's key."""
    return core.holder.reservation_id if isinstance(core.holder, Guest) else None
