"""A stay is told of directly, by a desk or a hotel's own program: as an event of its booking, heard as such.

| told | event | refused, and nobody hears of it |
|---|---|---|
| booked, or as it is to be | `confirmed` | what can have no key; what is over, without a version |
| changed | `dates_changed` | the same |
| the guest left, or the stay is off | `checked_out`, `cancelled` | |

The event bears the request's own id and time: one that is told again is heard once. Decision 0094.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import EventId, ReservationId, TenantId, UserId
from shared.domain.reactions import Action
from shared.events.codec import parse
from shared.events.errors import InvalidEvent
from shared.keywork.services import Services
from shared.ledger.booking_notes import BookingOutcome
from shared.ledger.course import OVER
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.ledger.stay import Stay
from shared.ports.vault import Cipher
from shared.usecases.stays.reactions import react
from shared.usecases.stays.read_booking import amendment_of, stay_of
from shared.usecases.stays.remember_accounts import remember_accounts
from shared.usecases.stays.remember_contact import prolong_contact, remember_contact
from shared.usecases.stays.request_keys import check_end, check_locks
from shared.usecases.stays.split_stay import split_stay

if TYPE_CHECKING:
    from shared.events.envelope import Event

BOOKING: Final = "melmastoon.reservation.booking"
SOURCE: Final = "/lock/v1"
AGAIN: Final = "send the request corrected, with an Idempotency-Key of its own"
AS_IT_IS: Final = "the stay is as it says already"


class NothingChanged(Exception):
    """A word about a stay that changed nothing, in our own words."""


@dataclass(frozen=True, slots=True)
class StayWord:
    """What is told of a stay: which event that is, on whose word; `data` is the event's own."""

    how: str
    reservation: ReservationId
    data: Mapping[str, Any]
    tenant: TenantId
    event_id: EventId
    at: datetime
    by: UserId
    trace: str = ""

    def event(self) -> "Event":
        """Return the event, or refuse what is none."""
        envelope = {
            "specVersion": "1.0",
            "id": self.event_id,
            "subject": f"{BOOKING}.{self.how}.v1",
            "source": SOURCE,
            "time": self.at.isoformat(timespec="milliseconds"),
            "tenantId": self.tenant,
            "data": {**self.data, "reservationId": self.reservation},
        }
        try:
            return parse(envelope | ({"traceId": self.trace} if self.trace else {}))
        except InvalidEvent as refusal:
            first = refusal.problems[0]
            raise _field(InvalidInput(first.path, first.problem, AGAIN)) from None


async def guest_of(tenant: TenantId, reservation: str, services: Services) -> str | None:
    """Return whose stay it is as far as was told: one that is changed stays its guest's."""
    record = await _record(tenant, reservation, services)
    return None if record is None or record.stay is None else str(record.stay.guest_id)


async def tell_stay(word: StayWord, cipher: Cipher, services: Services) -> None:
    """Have a stay's keys follow what is told of it; raise NothingChanged where that could do nothing."""
    event = word.event()
    record = await _record(word.tenant, word.reservation, services)
    if record is None or record.note_of(word.event_id) is None:
        await _check(event, word, record, services)
    try:
        await react(event, services)
    except InvalidInput as refusal:
        raise _field(refusal) from None
    await _reach(event, word, cipher, services)
    about = {"reservationId": word.reservation, "eventId": word.event_id, "by": word.by}
    services.log.info("a stay was told of directly", how=word.how, **about)
    _check_heard(await _record(word.tenant, word.reservation, services), word)


async def _record(tenant: TenantId, reservation: str, services: Services) -> Reservation | None:
    found = await (await services.ledger(tenant)).documents.get(ref_of(reservation))
    return None if found is None else reservation_from(found)


async def _check(event: "Event", word: StayWord, record: Reservation | None, services: Services) -> None:
    if word.how == "confirmed":
        if record is not None and record.status in OVER and event.data.version is None:
            over = record.status.value.replace("_", " ")
            raise NothingChanged(f"the stay is {over}: only a higher version reopens it")
        await _check_possible(stay_of(event), word, services)
    booked = record.stay if record is not None and record.status is Status.CONFIRMED else None
    if word.how == "dates_changed" and booked is not None:
        await _check_possible(_changed(booked, event), word, services)


def _changed(booked: Stay, event: "Event") -> Stay:
    try:
        return booked.changed(amendment_of(event))
    except InvalidInput as refusal:
        raise _field(refusal) from None


async def _check_possible(stay: Stay, word: StayWord, services: Services) -> None:
    """Refuse a stay that could have no key as it is."""
    try:
        check_end(stay.end, services.now)
        premises = await services.hotels.premises(word.tenant, stay.property_id)
        for share in split_stay(stay.rooms, premises, stay.wished):
            check_locks(share)
    except InvalidInput as refusal:
        raise _field(refusal) from None


async def _reach(event: "Event", word: StayWord, cipher: Cipher, services: Services) -> None:
    """Keep how the guest can be reached, as the subscribers of such events do."""
    store = (await services.ledger(word.tenant)).documents
    if word.how == "confirmed":
        await remember_contact(event, store, cipher, services.clock)
        await remember_accounts(event, services.hotels, cipher, services.clock)
    elif word.how == "dates_changed":
        await prolong_contact(event, store, cipher, services.clock)


def _check_heard(record: Reservation | None, word: StayWord) -> None:
    note = None if record is None else record.note_of(word.event_id)
    if note is None or record is None or note.outcome is not BookingOutcome.IGNORED:
        return
    ended_already = note.action is Action.REVOKE and record.status in OVER
    if not ended_already and note.because != AS_IT_IS:
        raise NothingChanged(f"it changed nothing: {note.because}")


def _field(refusal: InvalidInput) -> InvalidInput:
    """Return a refusal by its field's name in a request, which has no event around it."""
    return InvalidInput(refusal.field.removeprefix("data."), refusal.problem, AGAIN)
