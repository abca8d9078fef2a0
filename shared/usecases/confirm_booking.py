"""A stay is certain: its keys are requested, once, and their sagas begun."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shared.domain.core import Guest
from shared.domain.credential import KeyCredential
from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, GuestId, PropertyId
from shared.domain.kinds import RevokeReason
from shared.domain.states import Failed
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reservation import Heeded, Reservation, Status
from shared.ports.documents import Write
from shared.usecases.begin_saga import begin_work
from shared.usecases.booking import BookingEvent, note_ignored, record_of
from shared.usecases.manual_task import manual_tasks
from shared.usecases.office import Office, racing
from shared.usecases.request_keys import request_keys
from shared.usecases.tend_key import tend_if_due
from shared.usecases.withdraw_key import withdraw_key

if TYPE_CHECKING:
    from shared.events.envelope import Event


@dataclass(frozen=True, slots=True)
class _Confirmation:
    event: "Event"
    booking: BookingEvent
    ledger: Ledger
    office: Office

    @property
    def guest(self) -> Guest:
        """Whose stay it is."""
        return Guest(GuestId(self.event.data.guest.id), self.booking.reservation)


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
        return await (_replace if await _wants_other_keys(it, record) else _resume)(it, record)
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


async def _wants_other_keys(it: _Confirmation, record: Reservation) -> bool:
    """Say whether this is newer, and the keys are those of another stay, or none of them could be made."""
    if not record.outdated_by(it.booking.standing):
        return False
    keys = await _keys(it, record)
    return _of_another_stay(it, keys) or all(isinstance(key.state, Failed) for key in keys)


def _of_another_stay(it: _Confirmation, keys: Sequence[KeyCredential]) -> bool:
    """Say whether keys are of other rooms, times or another guest: the end of that stay was overtaken."""
    cores = [key.core for key in keys]
    rooms = {room for core in cores for room in core.rooms}
    whose = {(core.holder, core.property_id, core.window.start, core.window.end) for core in cores}
    data = it.event.data
    same = {(it.guest, data.property_id, data.valid_from, data.valid_until)}
    return (rooms, whose) != (set(data.rooms), same)


async def _replace(it: _Confirmation, record: Reservation) -> tuple[CredentialId, ...]:
    """End the keys of the stay as it was, and request those of the stay as it is now, at once."""
    replaced = [
        await withdraw_key(each, RevokeReason.REPLACED, it.booking, it.ledger, it.office)
        for each in record.credentials
    ]
    ended = [change for change in replaced if change is not None]
    try:
        return await _request(it, record, ended)
    except InvalidInput:
        # Whatever is wrong with the stay as it is now: it is no longer the other guest's.
        if any(key.core.holder != it.guest for key in await _keys(it, record)):
            await _save(it, ended)
        raise


async def _keys(it: _Confirmation, record: Reservation) -> list[KeyCredential]:
    found = [await it.ledger.entry(each) for each in record.credentials]
    return [entry.credential for entry in found if entry is not None]


async def _request(
    it: _Confirmation, record: Reservation, ended: Sequence[Change] = ()
) -> tuple[CredentialId, ...]:
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
    await _save(it, [*ended, *changes], confirmed.write(), *manual_tasks(changes, it.office.log))
    return confirmed.credentials


async def _save(it: _Confirmation, changes: Sequence[Change], *beside: Write) -> None:
    for saved in await it.ledger.save_all(changes, *beside):
        await begin_work(saved, it.ledger, it.office)
