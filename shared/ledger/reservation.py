"""What we know of a stay: its newest event, and the keys that were made for it.

The record is the claim. It is created or replaced under its version in the same commit as the keys, and it
names the claim of B §3 of its present incarnation, so that a second delivery of the same wish finds it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from shared.domain.documents import to_document
from shared.domain.ids import CredentialId, PropertyId, ReservationId
from shared.domain.instants import instant_to_text, milliseconds
from shared.domain.kinds import ClaimKey, SuspendReason
from shared.domain.stored import UNSTORED, Json, Stored
from shared.events.idempotency import claim_key
from shared.ledger.reading import read_stored
from shared.ledger.stay import Amendment, Planned, Recency, Stay
from shared.ports.documents import Create, Document, Ref, Update

RESERVATIONS: Final = "reservations"
HEARD_OF: Final = 50
"""How many events a record remembers."""


class Status(StrEnum):
    """How a stay stands."""

    AWAITED = "awaited"
    """It was changed before we ever heard it confirmed: its confirmation is still to come."""
    CONFIRMED = "confirmed"
    CANCELLED = "cancelled"
    CHECKED_OUT = "checked_out"


class BookingOutcome(StrEnum):
    """What we made of an event."""

    APPLIED = "applied"
    IGNORED = "ignored"
    REFUSED = "refused"
    """It was heard and set aside: the stay as it says can have no key, until somebody sees to that."""


@dataclass(frozen=True, slots=True)
class BookingEventNote:
    """An event about the stay: what we made of it, when we heard it, and why it changed nothing."""

    event_id: str
    subject: str
    standing: Annotated[Recency, Stored(flat=True)]
    outcome: BookingOutcome
    at: datetime | None = None
    because: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """One stay. An ended one may be confirmed anew, as its next incarnation.

    `stay` is what was booked, as it is now; None in records of the release that did not remember it.
    `confirmed` is how new the confirmation was that it began with.
    `amendment` is what changed since the last confirmation: an older confirmation that comes late is merged
    with it. While there are `holds` the keys rest, whoever wants them to open; `planned` is yet to be done.
    """

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("claim", "guest_id", "arrives", "keyless")

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
    amendment: Amendment | None = None
    confirmed: Recency | None = None
    version: Annotated[str | None, UNSTORED] = None
    strays: Annotated[Mapping[str, Json] | None, UNSTORED] = field(default=None, repr=False, compare=False)

    def indexed(self) -> dict[str, Json]:
        """Return what the indexes of stays read, and others find the record's keys by."""
        stay = self.stay
        of_stay = {} if stay is None else {"guest_id": stay.guest_id, "arrives": milliseconds(stay.start)}
        keyless = self.status is Status.CONFIRMED and not self.credentials
        arrives = 0 if stay is None else milliseconds(stay.start)
        return {"claim": self.claim, **of_stay, **({"keyless": arrives} if keyless else {})}

    @property
    def claim(self) -> ClaimKey | None:
        """The claim of the present incarnation; None while the stay was never confirmed."""
        return self.claim_of(self.incarnation) if self.incarnation else None

    def claim_of(self, incarnation: int) -> ClaimKey:
        """Return the claim of one incarnation, by B §3's recipe."""
        return ClaimKey(claim_key("issue", reservation_id=self.id, incarnation=incarnation))

    def hearing(self, event: BookingEventNote) -> Self:
        """Return the record with one event more; the newest event decides how new the record is."""
        others = (heard for heard in self.heard if heard.event_id != event.event_id)
        newest = event.standing if self.outdated_by(event.standing) else self.standing
        highest = _higher(self._highest, event.standing.version)
        return replace(self, heard=(*others, event)[-HEARD_OF:], standing=newest, highest=highest)

    def outdated_by(self, standing: Recency) -> bool:
        """Say whether an event is newer than all that was heard."""
        return not self._has_higher(standing) and standing.after(self.standing)

    def outdates(self, standing: Recency) -> bool:
        """Say whether an event is older than what was heard."""
        return self._has_higher(standing) or self.standing.after(standing)

    def reopened_by(self, standing: Recency) -> bool:
        """Say whether a confirmation makes an ended stay a stay again.

        One that ended before we ever heard it confirmed needs a higher version for that: the confirmation it
        overtook may bear a later time, and must not make a key.
        """
        known, new = self._highest, standing.version
        versioned = known is not None and new is not None and new > known
        return self.outdated_by(standing) and (versioned or self.incarnation > 0)

    def overtaken(self, standing: Recency) -> bool:
        """Say whether a confirmation was overtaken by a change of the very stay that it confirms."""
        newer = self.confirmed is None or standing.after(self.confirmed)
        return newer and self.amendment is not None and self.amendment.recency.after(standing)

    def amended(self, stay: Stay, standing: Recency) -> Stay:
        """Return a stay as it was confirmed, with what was changed since."""
        return stay.changed(self.amendment) if self.amendment and self.overtaken(standing) else stay

    def why_ignored(self, standing: Recency) -> str:
        """Say why an event that changes nothing changes nothing."""
        if self.status is not Status.CONFIRMED:
            return f"the stay is {self.status.value.replace('_', ' ')}"
        if self._has_higher(standing):
            return f"older than version {self._highest}"
        if self.standing.after(standing):
            return f"older than what was heard of {instant_to_text(self.standing.time)}"
        return "the stay is as it says already"

    def knows(self, event_id: str) -> bool:
        """Say whether an event was heard before."""
        return any(heard.event_id == event_id for heard in self.heard)

    def refused(self, event_id: str, standing: Recency) -> bool:
        """Say whether an event is the newest, and was set aside: it may be replayed."""
        heeded = [heard for heard in self.heard if heard.outcome is not BookingOutcome.IGNORED][-1:]
        refused = [heard.event_id for heard in heeded if heard.outcome is BookingOutcome.REFUSED]
        return refused == [event_id] and standing == self.standing

    @property
    def _highest(self) -> int | None:
        # An event without a version may be the newest, and does not make an old version new.
        return _higher(self.highest, self.standing.version)

    def _has_higher(self, standing: Recency) -> bool:
        known, new = self._highest, standing.version
        return known is not None and new is not None and new < known

    def write(self) -> Create | Update:
        """Return what keeps this record, on the condition that nobody else has changed it."""
        ref, data = ref_of(self.id), to_document(self)
        return Create(ref, data) if self.version is None else Update(ref, data, self.version)


def ref_of(reservation: str) -> Ref:
    """Return where a stay's record is kept."""
    return Ref(RESERVATIONS, reservation)


def reservation_from(found: Document) -> Reservation:
    """Read a record."""
    whole = replace(found, data={**found.data, "id": found.ref.id})
    return replace(read_stored(Reservation, whole), version=found.version)


def _higher(one: int | None, other: int | None) -> int | None:
    return max((each for each in (one, other) if each is not None), default=None)
