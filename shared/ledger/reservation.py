"""What we know of a stay: its newest event, and the keys that were made for it.

The record is the claim. It is created or replaced under its version in the same commit as the keys, and it
names the claim of B §3 of its present incarnation, so that a second delivery of the same wish finds it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from shared.domain.ids import CredentialId, PropertyId, ReservationId
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import ClaimKey, SuspendReason
from shared.domain.reactions import Action
from shared.domain.replacing import born_open, replace
from shared.domain.stored import Json, Stored
from shared.events.idempotency import claim_key
from shared.ledger.booking_notes import BookingEventNote, BookingOutcome
from shared.ledger.delays import CHECKED_BEFORE
from shared.ledger.reading import read_anew, read_once
from shared.ledger.stay import Amendment, Planned, Recency, Stay
from shared.ports.documents import Create, Document, Ref, Update
from shared.streams.record import Record
from shared.streams.telling import DUE_AT

RESERVATIONS: Final = "reservations"


class Status(StrEnum):
    """How a stay stands."""

    AWAITED = "awaited"
    """It was changed before we ever heard it confirmed: its confirmation is still to come."""
    CONFIRMED = "confirmed"
    CANCELLED = "cancelled"
    CHECKED_OUT = "checked_out"


SUBJECTS: Final = {
    Status.AWAITED: "melmastoon.reservation.booking.dates_changed.v1",
    Status.CONFIRMED: "melmastoon.reservation.booking.confirmed.v1",
    Status.CANCELLED: "melmastoon.reservation.booking.cancelled.v1",
    Status.CHECKED_OUT: "melmastoon.reservation.booking.checked_out.v1",
}
"""The event that says of a stay how it stands."""
ABOUT_THE_GUEST: Final = frozenset({Action.SUSPEND, Action.NOTE_ARRIVAL})
"""Events that tell nothing of what was booked."""
BEFORE: Final = "before"
"""In the place of an event's id: all events that are no longer remembered one by one."""


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation(Record):
    """One stay. An ended one may be confirmed anew, as its next incarnation.

    `stay` is what was booked, as it is now; None in records of the release that did not remember it. It can
    have no key as it is while it is `refused`. `heard` are its events as they came, `beginning` stands for
    those before them. While there are `holds` the keys rest, whoever wants them to open; `planned` is yet to
    be done. Until when its arrival needs no look is `checked`: what was heard last, or looked at. `turn` is
    the same guest's stay right before or after, with which it has one key, or had.

    `by_order` is missing, and `amendment` and `confirmed` are there, in records of the release that went by
    the order in which events came: those events go on to mean what they meant then.
    """

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("claim", "guest_id", "arrives", "keyless", "due_at")

    id: ReservationId
    status: Status
    standing: Annotated[Recency, Stored(flat=True)]
    highest: int | None = None
    incarnation: int = 0
    property_id: PropertyId | None = None
    credentials: tuple[CredentialId, ...] = ()
    heard: tuple[BookingEventNote, ...] = ()
    stay: Stay | None = None
    holds: frozenset[SuspendReason] = frozenset()
    planned: tuple[Planned, ...] = ()
    beginning: Annotated[BookingEventNote | None, Stored(omitted=True)] = None
    refused: Annotated[bool, Stored(omitted=True)] = False
    checked: Annotated[Moment | None, Stored(omitted=True)] = None
    turn: Annotated[ReservationId | None, Stored(omitted=True)] = None
    by_order: Annotated[bool, Stored(missing=False)] = True
    amendment: Annotated[Amendment | None, Stored(omitted=True)] = None
    confirmed: Annotated[Recency | None, Stored(omitted=True)] = None

    def indexed(self) -> dict[str, Json]:
        """Return what the indexes of stays read, and others find the record's keys by."""
        stay = self.stay
        of_stay = {} if stay is None else {"guest_id": stay.guest_id, "arrives": milliseconds(stay.start)}
        keyless = self.status is Status.CONFIRMED and not self.credentials
        arrives = 0 if stay is None else milliseconds(stay.start)
        found = {"claim": self.claim, **of_stay, **({"keyless": arrives} if keyless else {})}
        return {**found, **({} if self.due is None else {DUE_AT: milliseconds(self.due)})}

    @property
    def due(self) -> datetime | None:
        """When what is planned is to be done, or its arrival looked at; of an awaited stay nothing is."""
        times = [each.at for each in self.planned if self.status is not Status.AWAITED]
        return min((each for each in (*times, self.next_check) if each is not None), default=None)

    @property
    def next_check(self) -> datetime | None:
        """When it is next looked whether its guest will get in; None where that is over, or nobody comes."""
        if self.status is not Status.CONFIRMED or self.stay is None or self.checked is None:
            return None
        moments = (self.stay.start - before for before in CHECKED_BEFORE)
        return min((each for each in moments if each > self.checked), default=None)

    @property
    def claim(self) -> ClaimKey | None:
        """The claim of the present incarnation; None while the stay was never confirmed."""
        return self.claim_of(self.incarnation) if self.incarnation else None

    def claim_of(self, incarnation: int) -> ClaimKey:
        """Return the claim of one incarnation, by B §3's recipe."""
        return ClaimKey(claim_key("issue", reservation_id=self.id, incarnation=incarnation))

    @property
    def told(self) -> tuple[BookingEventNote, ...]:
        """All that was heard and tells what the stay is; a word about its guest does not."""
        before = () if self.beginning is None else (self.beginning,)
        return (
            *before,
            *(each for each in self.heard if not each.past and each.action not in ABOUT_THE_GUEST),
        )

    def noting(self, event: BookingEventNote) -> Self:
        """Return the record with one event more, or with another note of it."""
        known = self.note_of(event.event_id)
        heard = tuple(event if each is known else each for each in self.heard)
        newest = event.standing if event.standing.after(self.standing) else self.standing
        highest = max(
            (each for each in (self.highest, event.standing.version) if each is not None), default=None
        )
        return replace(self, heard=heard if known else (*heard, event), standing=newest, highest=highest)

    def note_of(self, event_id: str) -> BookingEventNote | None:
        """Return what is remembered of an event, if it was heard before."""
        return next((heard for heard in self.heard if heard.event_id == event_id), None)

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return ref_of(self.id)

    def write(self) -> Create | Update:
        """Return what keeps this record, on the condition that nobody else has changed it."""
        # Most stays are heard of once: what that event said is what the stay is.
        bare = tuple(replace(each, booked=None) if each.booked == self.stay else each for each in self.heard)
        return Record.write(replace(self, heard=bare))


def ref_of(reservation: str) -> Ref:
    """Return where a stay's record is kept."""
    return Ref(RESERVATIONS, reservation)


def reservation_from(found: Document) -> Reservation:
    """Read a record."""
    return read_once(Reservation, found, _read)


def _read(kind: type[Reservation], found: Document) -> Reservation:
    read = read_anew(kind, replace(found, data={**found.data, "id": found.ref.id}))
    return _whole(read) if read.by_order else _by_order(read)


def _whole(read: Reservation) -> Reservation:
    if read.stay is None or not any(_is_bare(each) for each in read.heard):
        return read
    heard = (replace(each, booked=read.stay) if _is_bare(each) else each for each in read.heard)
    return replace(read, heard=tuple(heard))


def _is_bare(note: BookingEventNote) -> bool:
    return note.booked is None and note.action is Action.ISSUE


def _by_order(read: Reservation) -> Reservation:
    """Return a record that did not go by its events' order: it begins with what they amounted to."""
    confirmed = read.incarnation > 0
    beginning = BookingEventNote(
        event_id=BEFORE,
        subject=SUBJECTS[read.status],
        standing=Recency(read.highest or read.standing.version, read.standing.time),
        outcome=BookingOutcome.APPLIED,
        booked=read.stay if confirmed else None,
        changed=None if confirmed else read.amendment,
        begun=confirmed,
    )
    heard = tuple(replace(each, past=True) for each in read.heard)
    return replace(read, by_order=True, beginning=beginning, heard=heard, amendment=None, confirmed=None)
