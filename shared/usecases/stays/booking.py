"""A booking event as the commands want it, whichever of its subjects it came under."""

import contextlib
import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Self

from shared.domain.core import Guest
from shared.domain.errors import InvalidInput
from shared.domain.ids import ReservationId, TenantId
from shared.domain.replacing import replace
from shared.kernel.together import gather_both
from shared.keywork.services import Services
from shared.ledger.booking_notes import BookingEventNote, BookingOutcome
from shared.ledger.course import Course
from shared.ledger.key_record import Cause, KeyRecord
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.ledger.stay import Amendment, Recency, Stay

if TYPE_CHECKING:
    from shared.events.envelope import Event

_TRACE: Final = re.compile("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


@dataclass(frozen=True, slots=True)
class BookingEvent:
    """Which stay it is about, how new it is, and what it leads back to."""

    id: str
    subject: str
    tenant: TenantId
    reservation: ReservationId
    standing: Recency
    cause: Cause

    @classmethod
    def of(cls, event: "Event") -> Self:
        """Read a parsed event; one without a trace gets a trace of its own."""
        return cls(
            id=event.id,
            subject=event.subject,
            tenant=TenantId(event.tenant_id),
            reservation=ReservationId(event.data.reservation_id),
            standing=Recency(event.data.version, event.time),
            cause=Cause(_trace(event), event.id),
        )

    @property
    def time(self) -> datetime:
        """When it happened."""
        return self.standing.time


@dataclass(frozen=True, slots=True)
class Hearing:
    """An event about a stay that is being heard, and what is done with it."""

    booking: BookingEvent
    note: BookingEventNote
    ledger: Ledger
    services: Services

    @classmethod
    def of(
        cls, event: "Event", services: Services, booked: Stay | None = None, changed: Amendment | None = None
    ) -> Self:
        """Begin to hear an event."""
        booking = BookingEvent.of(event)
        note = BookingEventNote(
            booking.id, booking.subject, booking.standing, BookingOutcome.APPLIED, services.now
        )
        told = replace(note, booked=booked, changed=changed)
        return cls(booking, told, services.ledger_of_key(booking.tenant), services)

    async def record(self) -> Reservation:
        """Return what we know of the stay, if only that it is awaited; refuse a tenant of another cell.

        What is needed next is read beside it, for each wait is a round trip on Google Cloud.
        """
        booking = self.booking
        reading = self.ledger.documents.get(ref_of(booking.reservation))
        if self._knows_hotel:
            found = await reading
        else:
            found, _ = await gather_both(reading, self._tenant_and_hotel())
        if found is not None:
            return reservation_from(found)
        return Reservation(id=booking.reservation, status=Status.AWAITED, standing=booking.standing)

    @property
    def _knows_hotel(self) -> bool:
        booked = self.note.booked
        return self.services.hotels.knows(self.booking.tenant, None if booked is None else booked.property_id)

    async def _tenant_and_hotel(self) -> None:
        await gather_both(self.services.hotels.admit(self.booking.tenant), self._hotel())

    async def _hotel(self) -> None:
        if self.note.booked is None:
            return
        with contextlib.suppress(InvalidInput):  # whoever follows the stay is told once more, and notes it
            await self.services.hotels.premises_of_key(self.booking.tenant, self.note.booked.property_id)

    def noted(self, record: Reservation, outcome: BookingOutcome, because: str | None = None) -> Reservation:
        """Return the record with what was made of this event, unless it is too old to be remembered."""
        known = record.note_of(self.booking.id)
        if known is None:
            return record
        return record.noting(replace(known, outcome=outcome, because=because))


@dataclass(frozen=True, slots=True)
class StayNews:
    """A stay as it is by what was just heard of it."""

    hearing: Hearing
    stay: Stay
    course: Course

    @property
    def booking(self) -> BookingEvent:
        """What was just heard."""
        return self.hearing.booking

    @property
    def ledger(self) -> Ledger:
        """Where its keys are kept."""
        return self.hearing.ledger

    @property
    def services(self) -> Services:
        """What its keys are worked on with."""
        return self.hearing.services

    @property
    def guest(self) -> Guest:
        """Whose stay it is."""
        return self.stay.held_by(self.booking.reservation)

    @property
    def tells_it(self) -> bool:
        """Say whether what was just heard made the stay what it is."""
        return self.booking.id in self.course.made_by


def ahead_of(note: BookingEventNote) -> str | None:
    """Return what is said of an event whose date is ahead of any clock that could be right, or None."""
    if note.ahead is None:
        return None
    return f"its date is {spoken(note.ahead)} ahead, and counts as that of its arrival"


def spoken(span: timedelta) -> str:
    """Return how long something is, in the largest unit of which it has two."""
    whole = int(span.total_seconds())
    for unit, seconds in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if whole >= 2 * seconds:
            return f"{whole // seconds} {unit}"
    return f"{whole} seconds"


def warn_if_ahead(it: Hearing) -> None:
    """Warn of an event from the future: only a version says for sure how new it is."""
    if it.note.ahead is not None and it.note.standing.version is None:
        it.services.log.warning(
            "a booking event is dated in the future: it counts as of its arrival, and reopens no ended stay",
            eventId=it.booking.id,
            tenantId=it.booking.tenant,
            reservationId=it.booking.reservation,
            aheadSeconds=int(it.note.ahead.total_seconds()),
            remedy="mend the producer's clock, or give each booking a version",
        )


async def keys_of(record: Reservation, ledger: Ledger) -> list[KeyRecord]:
    """Return the keys of a stay; whoever decides by them must write them as they were read, or not at all.

    It may name one that is its guest's next stay's by now.
    """
    found = [await ledger.entry(each) for each in record.credentials]
    return [entry for entry in found if entry is not None and entry.is_of(record.id)]


def _trace(event: Any) -> str:
    if event.trace_id and _TRACE.fullmatch(event.trace_id):
        return str(event.trace_id)
    digest = hashlib.sha256(event.id.encode()).hexdigest()
    return f"00-{digest[:32]}-{digest[32:48]}-01"
