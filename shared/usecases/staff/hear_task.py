"""A housekeeping task or a work order opens, moves or closes: whoever has `rooms:assigned` opens other rooms.

Only the newest word of a task counts, in whichever order they come. A task that passes from one person to
another is looked at for both: what is gained by one is placed, what the other loses is taken away. Who lost
it is kept until that is done: a word that comes meanwhile must not make us forget them.
"""

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from shared.domain.ids import PropertyId, RoomId, UserId
from shared.domain.scope import MasterScopeKind
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.key_record import Cause
from shared.ledger.ledger import Ledger
from shared.ledger.shift_record import StaffTask, find_task
from shared.ports.documents import StaleVersion
from shared.usecases.staff.event_cause import cause_of
from shared.usecases.staff.follow_master_key import follow_master_key
from shared.usecases.staff.held_keys import living_keys

if TYPE_CHECKING:
    from shared.events.envelope import Event

OVER: Final = frozenset({"done", "completed", "closed", "cancelled", "canceled", "resolved", "verified"})
"""What a task is called that nobody needs a door for any more."""


async def hear_task(event: "Event", services: Services) -> tuple[UserId, ...]:
    """Keep what a task has become; return whose keys may open other rooms by it."""
    ledger = await services.ledger(event.tenant_id)
    return await retry_on_conflict(lambda: _hear(event, ledger, services))


async def _hear(event: "Event", ledger: Ledger, services: Services) -> tuple[UserId, ...]:
    said = event.data
    task = await find_task(ledger.documents, said.task_id)
    if task is None or event.time > task.heard_at:
        task = _heard(event, task)
        if task is None:
            return ()
        task = await task.saved(ledger.documents)
    # Also of a duplicate: the first delivery may have died half way.
    concerned = [task.passed_on_by, *task.unfollowed, task.assignee]
    people = tuple(dict.fromkeys(person for person in concerned if person is not None))
    for person in people:
        await _follow(person, cause_of(event), ledger, services)
    if task.unfollowed:
        with contextlib.suppress(StaleVersion):  # whoever heard more meanwhile follows them too
            await replace(task, unfollowed=()).saved(ledger.documents)
    return people


def _heard(event: "Event", known: StaffTask | None) -> StaffTask | None:
    """Return the task as it is now; None for one that was never told of whole, and is over already."""
    said, at = event.data, event.time
    ends = said.status is not None and said.status.lower() in OVER
    rooms = tuple(RoomId(room) for room in said.named_rooms)
    assignee = None if said.staff_user_id is None else UserId(said.staff_user_id)
    if known is not None:
        lost_by = known.assignee if assignee not in (None, known.assignee) else None
        return replace(
            known,
            rooms=rooms or known.rooms,
            assignee=assignee or known.assignee,
            open=not ends,
            heard_at=at,
            passed_on_by=lost_by or known.passed_on_by,
            unfollowed=(*known.unfollowed, *([lost_by] if lost_by else [])),
        )
    if said.property_id is None:
        return None
    house = PropertyId(said.property_id)
    return StaffTask(
        id=said.task_id, property_id=house, rooms=rooms, assignee=assignee, open=not ends, heard_at=at
    )


async def _follow(person: UserId, cause: Cause, ledger: Ledger, services: Services) -> None:
    for record in await living_keys(person, ledger):
        if any(scope.kind is MasterScopeKind.ROOMS_ASSIGNED for scope in record.master_key.scopes):
            await follow_master_key(replace(record, cause=cause), ledger, services)
