"""A stay is certain: its keys are requested, once, and their sagas begun."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shared.domain.ids import CredentialId, PropertyId
from shared.domain.states import Requested
from shared.ledger.entry import Entry
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import Heeded, Reservation, Status
from shared.usecases.begin_saga import begin_saga, tell
from shared.usecases.booking import BookingEvent, note_ignored, record_of
from shared.usecases.manual_task import manual_tasks
from shared.usecases.office import Office, racing
from shared.usecases.request_keys import request_keys
from shared.usecases.tend_key import tend_if_due

if TYPE_CHECKING:
    from shared.events.envelope import Event


@dataclass(frozen=True, slots=True)
class _Confirmation:
    event: "Event"
    booking: BookingEvent
    ledger: Ledger
    office: Office


async def confirm_booking(event: "Event", office: Office) -> tuple[CredentialId, ...]:
    """Return the keys of the stay: new ones, those a duplicate finds, or none if the stay is over."""
    booking = BookingEvent.of(event)
    it = _Confirmation(event, booking, await office.ledger(booking.tenant), office)
    return await racing(lambda: _confirm(it))


async def _confirm(it: _Confirmation) -> tuple[CredentialId, ...]:
    booking = it.booking
    record = await record_of(booking, it.ledger)
    if record is None:
        unheard = Reservation(id=booking.reservation, status=Status.CONFIRMED, standing=booking.standing)
        return await _request(it, unheard)
    if record.status is Status.CONFIRMED:
        return await _resume(it, record)
    if record.reopened_by(booking.standing):
        return await _request(it, record)
    await note_ignored(booking, record, it.ledger)
    return ()


async def _resume(it: _Confirmation, record: Reservation) -> tuple[CredentialId, ...]:
    """Take up what an earlier delivery left, and make no second key."""
    await note_ignored(it.booking, record, it.ledger)
    for credential in record.credentials:
        await tend_if_due(credential, it.ledger, it.office)
    return record.credentials


async def _request(it: _Confirmation, record: Reservation) -> tuple[CredentialId, ...]:
    tenant, data = it.booking.tenant, it.event.data
    premises = await it.office.estate.premises(tenant, data.property_id)
    claim = record.claim_of(record.incarnation + 1)
    changes = request_keys(it.event, premises, claim, it.booking.cause, it.office)
    confirmed = replace(
        it.booking.heard_by(record, Heeded.APPLIED),
        status=Status.CONFIRMED,
        incarnation=record.incarnation + 1,
        property_id=PropertyId(data.property_id),
        credentials=tuple(change.entry.id for change in changes),
    )
    for saved in await it.ledger.save_all(changes, confirmed.write(), *manual_tasks(changes)):
        await _begin(saved.entry, it)
    return confirmed.credentials


async def _begin(entry: Entry, it: _Confirmation) -> None:
    if isinstance(entry.credential.state, Requested):
        await begin_saga(entry, it.ledger, it.office.bus, it.office.sagas)
    else:
        await tell(entry, it.ledger, it.office.bus)
