"""A stay got longer, shorter or moved to other rooms: its keys follow, even if we hear of the change first.

| what we know of the stay | what the change does |
|---|---|
| nothing, or earlier changes only | it is kept, and merged with the confirmation when that comes |
| confirmed, and the change is newer than that | the stay is as it says, beside other changes since |
| over | nothing: only a confirmation makes it a stay again |
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from shared.domain.ids import CredentialId, RoomId
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import BookingOutcome, Reservation, Status
from shared.ledger.stay import Amendment, Stay
from shared.usecases.stays.amend_stay import amend_stay
from shared.usecases.stays.booking import BookingEvent, keys_of, note_ignored, record_of, warn_if_ahead
from shared.usecases.stays.confirm_booking import StayNews, change_stay, resume

if TYPE_CHECKING:
    from shared.events.envelope import Event


@dataclass(frozen=True, slots=True)
class _Changed:
    booking: BookingEvent
    amendment: Amendment
    ledger: Ledger
    services: Services
    heard_at: datetime


async def change_dates(event: "Event", services: Services) -> tuple[CredentialId, ...]:
    """Return the keys of the stay as it is now."""
    booking, heard_at = BookingEvent.of(event), services.now
    warn_if_ahead(booking, services)
    ledger = await services.ledger(booking.tenant)
    it = _Changed(booking, _amendment(event, booking), ledger, services, heard_at)
    return await retry_on_conflict(lambda: _change(it))


def _amendment(event: "Event", booking: BookingEvent) -> Amendment:
    data = event.data
    rooms = None if data.rooms is None else tuple(dict.fromkeys(map(RoomId, data.rooms)))
    return Amendment(recency=booking.standing, rooms=rooms, start=data.valid_from, end=data.valid_until)


async def _change(it: _Changed) -> tuple[CredentialId, ...]:
    record = await record_of(it.booking, it.ledger)
    if record is None or record.status is Status.AWAITED:
        return await _await_confirmation(it, record)
    amendment = it.amendment.beside(record.amendment)
    known = record.stay or _as_its_keys_are(record, await keys_of(record, it.ledger))
    if known is None or not _counts(it, record):
        return await _resume(it, record)
    news = StayNews(
        it.booking, known.changed(amendment), it.ledger, it.services, it.heard_at, amendment=amendment
    )
    if news.stay == known:
        return await _resume(it, record)
    return await amend_stay(news, record) or await change_stay(news, record)


async def _resume(it: _Changed, record: Reservation) -> tuple[CredentialId, ...]:
    """Take up what an earlier delivery left; an event that changes nothing is noted."""
    await note_ignored(it.booking, record, it.ledger, it.heard_at)
    return await resume(record, it.ledger, it.services)


async def _await_confirmation(it: _Changed, record: Reservation | None) -> tuple[CredentialId, ...]:
    known = record or Reservation(
        id=it.booking.reservation, status=Status.AWAITED, standing=it.booking.standing
    )
    if not known.knows(it.booking.id):
        heard = it.booking.heard_by(known, BookingOutcome.APPLIED, it.heard_at)
        kept = replace(heard, amendment=it.amendment.beside(known.amendment))
        await it.ledger.documents.commit([kept.write()])
    return ()


def _counts(it: _Changed, record: Reservation) -> bool:
    """Say whether the stay is not yet as this says: the change is newer than what the stay began with."""
    standing = it.booking.standing
    if record.refused(it.booking.id, standing):
        return True
    if record.status is not Status.CONFIRMED or record.knows(it.booking.id):
        return False
    return not record.outdates(standing) if record.confirmed is None else standing.after(record.confirmed)


def _as_its_keys_are(record: Reservation, keys: Sequence[KeyRecord]) -> Stay | None:
    """Return a stay that an earlier release did not remember, as far as its keys tell."""
    cores = [key.credential.core for key in keys if key.credential.core.claim == record.claim]
    if not cores:
        return None
    first = cores[0]
    return Stay(
        property_id=first.property_id,
        guest_id=first.holder.guest_id,  # type: ignore[union-attr] # a stay's keys are its guest's
        rooms=tuple(dict.fromkeys(room for core in cores for room in core.rooms)),
        start=first.window.start,
        end=first.window.end,
        scope=first.scope,
    )
