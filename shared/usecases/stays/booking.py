"""A booking event as the commands want it, whichever of its subjects it came under."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Self

from shared.domain.ids import ReservationId, TenantId
from shared.keywork.services import Services
from shared.ledger.key_record import Cause, KeyRecord
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import (
    BookingEventNote,
    BookingOutcome,
    Reservation,
    ref_of,
    reservation_from,
)
from shared.ledger.stay import Recency

if TYPE_CHECKING:
    from shared.events.envelope import Event

AHEAD: Final = timedelta(minutes=5)
"""Clocks differ by so much; an event that is dated later makes those that follow it look old."""
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

    def heard_by(
        self, record: Reservation, outcome: BookingOutcome, at: datetime, because: str | None = None
    ) -> Reservation:
        """Return the record with this event among those it heard."""
        return record.hearing(BookingEventNote(self.id, self.subject, self.standing, outcome, at, because))


def warn_if_ahead(booking: BookingEvent, services: Services) -> None:
    """Warn of an event without a version from the future: it stays the newest until then."""
    ahead = booking.time - services.now
    if booking.standing.version is None and ahead > AHEAD:
        services.log.warning(
            "a booking event is dated in the future: what follows it may be taken for older, and ignored",
            eventId=booking.id,
            tenantId=booking.tenant,
            reservationId=booking.reservation,
            aheadSeconds=int(ahead.total_seconds()),
            remedy="mend the producer's clock, or give each booking a version",
        )


async def record_of(booking: BookingEvent, ledger: Ledger) -> Reservation | None:
    """Return what we know of the stay, or None."""
    found = await ledger.documents.get(ref_of(booking.reservation))
    return None if found is None else reservation_from(found)


async def keys_of(record: Reservation, ledger: Ledger) -> list[KeyRecord]:
    """Return the keys of a stay; whoever decides by them must write them as they were read, or not at all."""
    found = [await ledger.entry(each) for each in record.credentials]
    return [entry for entry in found if entry is not None]


async def note_ignored(booking: BookingEvent, record: Reservation, ledger: Ledger, at: datetime) -> None:
    """Keep that an event came and changed nothing but how new the record is, once, and why."""
    if not record.knows(booking.id):
        because = record.why_ignored(booking.standing)
        await ledger.documents.commit([booking.heard_by(record, BookingOutcome.IGNORED, at, because).write()])


def _trace(event: Any) -> str:
    if event.trace_id and _TRACE.fullmatch(event.trace_id):
        return str(event.trace_id)
    digest = hashlib.sha256(event.id.encode()).hexdigest()
    return f"00-{digest[:32]}-{digest[32:48]}-01"
