"""The course of a stay: what all that was heard of it amounts to, whatever came first (decision 0071).

Its events are gone through from the oldest to the newest:

| event | the stay is awaited | confirmed | over |
|---|---|---|---|
| a confirmation | confirmed | as it says now | confirmed again, unless an exception below holds |
| a change | awaited still | as it says now, where that can be | over still |
| an ending | over, before it was confirmed | over | over still |

A confirmation does not make a stay again that is over

- if that was over before any confirmation: it is the confirmation that was overtaken, whatever its date says,
  unless its version is higher;
- if its date cannot be believed, the ending's can, and no version says which is newer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.kinds import RevokeReason
from shared.domain.reactions import Action
from shared.domain.replacing import born_open
from shared.ledger.booking_notes import BookingEventNote, BookingOutcome, in_order
from shared.ledger.reservation import BEFORE, SUBJECTS, Reservation, Status
from shared.ledger.stay import Amendment, Recency, Stay

HEARD_OF: Final = 50
"""How many events a record remembers one by one."""
OVER: Final = frozenset({Status.CANCELLED, Status.CHECKED_OUT})
STATUSES: Final = {
    RevokeReason.CANCELLATION: Status.CANCELLED,
    RevokeReason.CHECKOUT: Status.CHECKED_OUT,
}


@born_open
@dataclass(frozen=True, slots=True)
class Course:
    """How a stay stands by its events, and by which of them.

    `steps` are the stays that it was since it was first confirmed; the last is what it is, or was. `made_by`
    are the events that made it so, `clashing` those that go with no other.
    """

    status: Status = Status.AWAITED
    steps: tuple[Stay, ...] = ()
    made_by: tuple[str, ...] = ()
    ended: BookingEventNote | None = None
    begun: bool = False
    changed: Amendment | None = None
    clashing: frozenset[str] = frozenset()

    @property
    def stay(self) -> Stay | None:
        """The stay as it is, or as it was when it ended."""
        return self.steps[-1] if self.steps else None

    def after(self, note: BookingEventNote) -> "Course":
        """Return the course with one event more, the newest."""
        match note.action:
            case Action.ISSUE:
                return self._confirmed(note)
            case Action.AMEND:
                return self._amended(note)
            case Action.REVOKE:
                return self._ended(note)
            case _:
                return self

    def _confirmed(self, note: BookingEventNote) -> "Course":
        told = () if note.booked is None else (note.booked,)
        if self.ended is not None and not self._reopened(note, self.ended):
            return replace(self, begun=True, steps=self.steps or told)
        steps = (*self.steps, *told)
        return Course(Status.CONFIRMED, steps, (note.event_id,), begun=True, clashing=self.clashing)

    def _reopened(self, note: BookingEventNote, ended: BookingEventNote) -> bool:
        new, old = note.standing.version, ended.standing.version
        if new is not None and old is not None and new != old:
            return new > old
        return self.begun and (not note.ahead or bool(ended.ahead))

    def _amended(self, note: BookingEventNote) -> "Course":
        change = note.changed
        if change is None or self.status in OVER:
            return self
        if self.stay is None:
            return replace(self, changed=change.beside(self.changed), made_by=(*self.made_by, note.event_id))
        try:
            stay = self.stay.changed(change)
        except InvalidInput:
            return replace(self, clashing=self.clashing | {note.event_id})
        return replace(self, steps=(*self.steps, stay), made_by=(*self.made_by, note.event_id))

    def _ended(self, note: BookingEventNote) -> "Course":
        if self.status in OVER and note.event_id != BEFORE:
            # It ended as the first of its endings says, and is over until the last.
            return replace(self, ended=note)
        return Course(
            STATUSES[RevokeReason(str(note.reason))],
            self.steps or (() if note.booked is None else (note.booked,)),
            (note.event_id,),
            ended=note,
            begun=self.begun or note.begun,
            clashing=self.clashing,
        )


def course_of(record: Reservation) -> Course:
    """Return what all that was heard of a stay amounts to."""
    return _through(in_order(record.told))


def trimmed(record: Reservation) -> Reservation:
    """Return the record without its oldest events, of which it keeps what they amount to."""
    if len(record.heard) <= HEARD_OF:
        return record
    record = replace(record, heard=tuple(each for each in record.heard if not each.past))
    surplus, ordered = len(record.heard) - HEARD_OF, in_order(record.told)
    oldest = [each for each in ordered if each != record.beginning][: max(surplus, 0)]
    if not oldest:
        return replace(record, heard=record.heard[-HEARD_OF:])
    last = max(ordered.index(each) for each in (oldest[-1], record.beginning) if each is not None)
    gone = {each.event_id for each in ordered[: last + 1]}
    heard = tuple(each for each in record.heard if each.event_id not in gone)
    return replace(record, heard=heard, beginning=_as_one(ordered[: last + 1]))


def _as_one(notes: Sequence[BookingEventNote]) -> BookingEventNote:
    """Return one event in the place of many."""
    course, last = _through(notes), notes[-1]
    versions = [each.standing.version for each in notes if each.standing.version is not None]
    return BookingEventNote(
        event_id=BEFORE,
        subject=SUBJECTS[course.status],
        standing=Recency(max(versions, default=None), last.standing.time),
        outcome=BookingOutcome.APPLIED,
        at=last.at,
        booked=course.stay,
        changed=course.changed,
        begun=course.begun,
    )


def _through(notes: Iterable[BookingEventNote]) -> Course:
    course = Course()
    for note in notes:
        course = course.after(note)
    return course
