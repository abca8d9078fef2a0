"""A stay is off or over: its keys end in the ledger at once, and at the locks as soon as they let go."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from shared.domain.ids import CredentialId
from shared.domain.kinds import RevokeReason
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import Heeded, Reservation, Status
from shared.usecases.begin_saga import begin_work
from shared.usecases.booking import BookingEvent, keys_of, note_ignored, record_of, warn_if_ahead
from shared.usecases.office import Office, racing
from shared.usecases.tend_key import tend_if_due
from shared.usecases.withdraw_key import withdraw_keys

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
    office: Office
    heard_at: datetime


async def end_booking(event: "Event", reason: RevokeReason, office: Office) -> tuple[CredentialId, ...]:
    """End the keys of a stay, and return them; an event older than the booking's newest is ignored."""
    booking, heard_at = BookingEvent.of(event), office.now
    warn_if_ahead(booking, office)
    it = _Ending(booking, reason, await office.ledger(booking.tenant), office, heard_at)
    return await racing(lambda: _end(it))


async def _end(it: _Ending) -> tuple[CredentialId, ...]:
    booking = it.booking
    record = await record_of(booking, it.ledger)
    if record is None:
        # It came before the confirmation, which will find this record and make no key.
        unheard = Reservation(id=booking.reservation, status=_status(it), standing=booking.standing)
        await it.ledger.documents.commit([booking.heard_by(unheard, Heeded.APPLIED, it.heard_at).write()])
        return ()
    if record.status is not Status.CONFIRMED or record.outdates(booking.standing):
        return await _resume(it, record)
    return await _withdraw(it, record)


async def _resume(it: _Ending, record: Reservation) -> tuple[CredentialId, ...]:
    """Take up what an earlier delivery left; an event that changes nothing is noted."""
    await note_ignored(it.booking, record, it.ledger, it.heard_at)
    for credential in record.credentials:
        await tend_if_due(credential, it.ledger, it.office)
    return record.credentials


async def _withdraw(it: _Ending, record: Reservation) -> tuple[CredentialId, ...]:
    keys = await keys_of(record, it.ledger)
    ended = await withdraw_keys(keys, it.reason, it.booking, it.ledger, it.office)
    heard = replace(it.booking.heard_by(record, Heeded.APPLIED, it.heard_at), status=_status(it))
    for saved in await it.ledger.save_all(ended.changes, heard.write(), *ended.closed):
        await begin_work(saved, it.ledger, it.office)
    return record.credentials


def _status(it: _Ending) -> Status:
    return STATUSES[it.reason]
