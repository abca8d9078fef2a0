"""What was heard of a shift and of a task, in whichever order it came: the claims of B §3 for staff."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final

from shared.domain.documents import to_document
from shared.domain.ids import MasterKeyId, PropertyId, RoomId, ShiftId, UserId
from shared.domain.instants import Moment, milliseconds
from shared.domain.stored import UNSTORED, Json, Stored
from shared.ledger.reading import read_record, read_stored
from shared.ports.documents import Create, Ref, TenantDocuments, Update
from shared.streams.record import Record

SHIFTS: Final = "shifts"
STAFF_TASKS: Final = "staff_tasks"
KEPT_FOR: Final = timedelta(days=90)
"""So long after its last word a shift is remembered, and a task after its end: nobody repeats it later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftRecord:
    """A shift: the keys that open in it, and when it began and ended as far as that was told."""

    schema_version: ClassVar[int] = 1

    id: ShiftId
    keys: tuple[MasterKeyId, ...] = ()
    heard_at: Moment | None = None
    """How new what was heard of its start is."""
    ended_at: Moment | None = None
    version: Annotated[str | None, UNSTORED] = None
    strays: Annotated[Mapping[str, Json] | None, UNSTORED] = field(default=None, repr=False, compare=False)

    def write(self, now: datetime) -> Create | Update:
        """Return what keeps it, on the condition that nobody else has changed it."""
        ref, data, end = Ref(SHIFTS, self.id), to_document(self), now + KEPT_FOR
        return Create(ref, data, end) if self.version is None else Update(ref, data, self.version, end)


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffTask(Record):
    """What somebody has to do in a room, and who had to before; `heard_at` says how new that is.

    `unfollowed`: who lost it, and whose keys nobody is known to have looked at since.
    """

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("assigned_to", "opened")

    id: str
    property_id: PropertyId
    rooms: tuple[RoomId, ...]
    assignee: UserId | None
    open: bool
    heard_at: Moment
    passed_on_by: UserId | None = None
    unfollowed: Annotated[tuple[UserId, ...], Stored(omitted=True)] = ()

    def indexed(self) -> dict[str, Json]:
        """Return what finds the open tasks of somebody."""
        if self.assignee is None or not self.open:
            return {}
        return {"assigned_to": str(self.assignee), "opened": milliseconds(self.heard_at)}

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(STAFF_TASKS, self.id)

    @property
    def kept_until(self) -> datetime | None:
        """A while after it is over."""
        return None if self.open else self.heard_at + KEPT_FOR


async def find_shift(documents: TenantDocuments, shift: ShiftId) -> ShiftRecord:
    """Return what was heard of a shift, if only that nothing was."""
    found = await documents.get(Ref(SHIFTS, shift))
    if found is None:
        return ShiftRecord(id=shift)
    return replace(read_stored(ShiftRecord, found), version=found.version)


async def find_task(documents: TenantDocuments, name: str) -> StaffTask | None:
    """Return a task, or None."""
    found = await documents.get(Ref(STAFF_TASKS, name))
    return None if found is None else read_record(StaffTask, found)
