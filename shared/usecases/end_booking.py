"""A stay is off or over: its keys end in the ledger at once, and at the locks as soon as they let go."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from shared.domain.ids import CredentialId
from shared.domain.kinds import ClaimKey, RevokeReason
from shared.domain.reactions import withdrawal
from shared.events.idempotency import claim_key
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.entry import Work
from shared.ledger.ledger import Change, Ledger, Saved
from shared.ledger.reservation import Heeded, Reservation, Status
from shared.usecases.begin_saga import begin_saga, tell
from shared.usecases.booking import BookingEvent, note_ignored, record_of
from shared.usecases.office import Office, racing
from shared.usecases.tend_key import tend_if_due

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


async def end_booking(event: "Event", reason: RevokeReason, office: Office) -> tuple[CredentialId, ...]:
    """End the keys of a stay, and return them; an event older than the booking's newest is ignored."""
    booking = BookingEvent.of(event)
    it = _Ending(booking, reason, await office.ledger(booking.tenant), office)
    return await racing(lambda: _end(it))


async def _end(it: _Ending) -> tuple[CredentialId, ...]:
    booking = it.booking
    record = await record_of(booking, it.ledger)
    if record is None:
        # It came before the confirmation, which will find this record and make no key.
        unheard = Reservation(id=booking.reservation, status=_status(it), standing=booking.standing)
        await it.ledger.documents.commit([booking.heard_by(unheard, Heeded.APPLIED).write()])
        return ()
    if record.status is not Status.CONFIRMED or record.standing.after(booking.standing):
        return await _resume(it, record)
    return await _withdraw(it, record)


async def _resume(it: _Ending, record: Reservation) -> tuple[CredentialId, ...]:
    """Take up what an earlier delivery left; an event that changes nothing is noted."""
    await note_ignored(it.booking, record, it.ledger)
    for credential in record.credentials:
        await tend_if_due(credential, it.ledger, it.office)
    return record.credentials


async def _withdraw(it: _Ending, record: Reservation) -> tuple[CredentialId, ...]:
    changes = [change for each in record.credentials if (change := await _change(it, each))]
    ended = replace(it.booking.heard_by(record, Heeded.APPLIED), status=_status(it))
    for saved in await it.ledger.save_all(changes, ended.write()):
        await _begin(saved, it)
    return record.credentials


async def _change(it: _Ending, credential: CredentialId) -> Change | None:
    entry = await it.ledger.entry(credential)
    if entry is None:
        return None
    now = it.office.now
    command = withdrawal(entry.credential, it.reason, at=now)
    if command is None:
        return None
    grants = tuple(grant.withdrawn(now) for grant in await it.ledger.grants(entry) if not grant.over)
    ended, facts = entry.credential.apply(command)
    claim = ClaimKey(claim_key("revoke", event_id=it.booking.id, key_credential_id=str(entry.id)))
    turned = replace(
        entry,
        credential=ended,
        saga=entry.saga.turned(Work.WITHDRAW, claim),
        cause=it.booking.cause,
        due=now + STARTED_WITHIN,
    )
    return Change(turned, facts, grants)


async def _begin(saved: Saved, it: _Ending) -> None:
    if saved.grants:
        await begin_saga(saved.entry, it.ledger, it.office.bus, it.office.sagas)
    else:
        await tell(saved.entry, it.ledger, it.office.bus)


def _status(it: _Ending) -> Status:
    return STATUSES[it.reason]
