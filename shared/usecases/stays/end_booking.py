"""A stay is off or over: its keys end in the ledger at once, and at the locks as soon as they let go."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from shared.domain.ids import CredentialId
from shared.domain.kinds import RevokeReason
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import BookingOutcome, Reservation, Status
from shared.usecases.stays.booking import BookingEvent, keys_of, note_ignored, record_of, warn_if_ahead
from shared.usecases.stays.confirm_booking import resume
from shared.usecases.stays.withdraw_key import withdraw_keys

if TYPE_CHECKING:
    from shared.events.envelope import Event

STATUSES: Final = {
    RevokeReason.CANCELLATION: Status.CANCELLED,
    RevokeReason.CHECKOUT: Status.CHECKED_OUT,
}


@dataclass(frozen=True, slots=True)
class _Ending:
    booking: BookingEvent
    reason: RevokeReason
    ledger: Ledger
    services: Services
    heard_at: datetime


async def end_booking(event: "Event", reason: RevokeReason, services: Services) -> tuple[CredentialId, ...]:
    """End the keys of a stay, and return them; an event older than the booking's newest is ignored."""
    booking, heard_at = BookingEvent.of(event), services.now
    warn_if_ahead(booking, services)
    it = _Ending(booking, reason, await services.ledger(booking.tenant), services, heard_at)
    return await retry_on_conflict(lambda: _end(it))


async def _end(it: _Ending) -> tuple[CredentialId, ...]:
    booking = it.booking
    record = await record_of(booking, it.ledger)
    if record is None or record.status is Status.AWAITED:
        # It came before the confirmation, which will find this record and make no key.
        unheard = record or Reservation(id=booking.reservation, status=_status(it), standing=booking.standing)
        unheard = replace(unheard, status=_status(it))
        await it.ledger.documents.commit(
            [booking.heard_by(unheard, BookingOutcome.APPLIED, it.heard_at).write()]
        )
        return ()
    if record.status is not Status.CONFIRMED or record.outdates(booking.standing):
        return await _resume(it, record)
    return await _withdraw(it, record)


async def _resume(it: _Ending, record: Reservation) -> tuple[CredentialId, ...]:
    """Take up what an earlier delivery left; an event that changes nothing is noted."""
    await note_ignored(it.booking, record, it.ledger, it.heard_at)
    return await resume(record, it.ledger, it.services)


async def _withdraw(it: _Ending, record: Reservation) -> tuple[CredentialId, ...]:
    keys = await keys_of(record, it.ledger)
    ended = await withdraw_keys(keys, it.reason, it.booking, it.ledger, it.services)
    heard = replace(it.booking.heard_by(record, BookingOutcome.APPLIED, it.heard_at), status=_status(it))
    for saved in await it.ledger.save_all(ended.changes, heard.write(), *ended.closed):
        await begin_work(saved, it.ledger, it.services)
    return record.credentials


def _status(it: _Ending) -> Status:
    return STATUSES[it.reason]
