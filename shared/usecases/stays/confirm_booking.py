"""A stay is certain: its keys are requested, once, and their sagas begun."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from shared.domain.core import Guest
from shared.domain.credential import KeyCredential
from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId
from shared.domain.kinds import RevokeReason
from shared.domain.states import Active, Failed, Suspended
from shared.keywork.manual_task import alarm_of_loss, manual_tasks
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reservation import BookingOutcome, Reservation, Status
from shared.ledger.stay import Amendment, Stay
from shared.ports.documents import Write
from shared.usecases.stays.booking import BookingEvent, keys_of, note_ignored, record_of, warn_if_ahead
from shared.usecases.stays.request_keys import Wanted, request_keys, stay_of
from shared.usecases.stays.withdraw_key import NOTHING, Withdrawn, withdraw_keys
from shared.usecases.upkeep.tend_key import tend_if_due

if TYPE_CHECKING:
    from shared.events.envelope import Event


@dataclass(frozen=True, slots=True)
class StayNews:
    """A stay as it is by what was just heard of it."""

    booking: BookingEvent
    stay: Stay
    ledger: Ledger
    services: Services
    heard_at: datetime
    amendment: Amendment | None = None
    """What was changed since the stay was confirmed; None where the news is a confirmation."""

    @property
    def guest(self) -> Guest:
        """Whose stay it is."""
        return self.stay.held_by(self.booking.reservation)


async def confirm_booking(event: "Event", services: Services) -> tuple[CredentialId, ...]:
    """Return the keys of the stay: new ones, those a duplicate finds, or none if the stay is over."""
    booking, heard_at = BookingEvent.of(event), services.now
    warn_if_ahead(booking, services)
    it = StayNews(booking, stay_of(event), await services.ledger(booking.tenant), services, heard_at)
    return await retry_on_conflict(lambda: _confirm(it))


async def _confirm(it: StayNews) -> tuple[CredentialId, ...]:
    booking = it.booking
    record = await record_of(booking, it.ledger)
    if record is None:
        unheard = Reservation(id=booking.reservation, status=Status.CONFIRMED, standing=booking.standing)
        return await _apply(it, unheard, await _requested(it, unheard))
    it = replace(it, stay=record.amended(it.stay, booking.standing))
    if record.status is Status.AWAITED:
        return await _apply(it, record, await _requested(it, record))
    if await _wants_other_keys(it, record):
        return await change_stay(it, record)
    await note_ignored(booking, record, it.ledger, it.heard_at)
    return await resume(record, it.ledger, it.services) if record.status is Status.CONFIRMED else ()


async def resume(record: Reservation, ledger: Ledger, services: Services) -> tuple[CredentialId, ...]:
    """Take up what an earlier delivery left, and make no second key."""
    for credential in record.credentials:
        await tend_if_due(credential, ledger, services)
    return record.credentials


async def _wants_other_keys(it: StayNews, record: Reservation) -> bool:
    """Say whether this is newer, and its stay is one again, is another, or has no key; or is replayed."""
    standing = it.booking.standing
    if record.refused(it.booking.id, standing):
        return True
    if record.status is not Status.CONFIRMED:
        return record.reopened_by(standing)
    if not (record.outdated_by(standing) or record.overtaken(standing)):
        return False
    keys = [entry.credential for entry in await keys_of(record, it.ledger)]
    present = [key for key in keys if key.core.claim == record.claim]
    return _of_another_stay(it, present) or all(isinstance(key.state, Failed) for key in present)


def _of_another_stay(it: StayNews, keys: Sequence[KeyCredential]) -> bool:
    """Say whether keys are of other rooms, times or another guest: the end of that stay was overtaken."""
    cores = [key.core for key in keys]
    rooms = {room for core in cores for room in core.rooms}
    whose = {(core.holder, core.property_id, core.window.start, core.window.end) for core in cores}
    stay = it.stay
    same = {(it.guest, stay.property_id, stay.start, stay.end)}
    return (rooms, whose) != (set(stay.rooms), same)


async def change_stay(it: StayNews, record: Reservation) -> tuple[CredentialId, ...]:
    """Request the keys of the stay as it is now, and end those that would open more than it includes.

    What works and opens no more than that the guest keeps beside the new keys, which may come late or never.
    """
    keys = await keys_of(record, it.ledger)
    included = [key for key in keys if is_included(it, key.credential)]
    try:
        requested = await _requested(it, record)
    except InvalidInput as refusal:
        await _refuse(it, record, keys, included, refusal)
        raise
    kept = [key for key in included if isinstance(key.credential.state, Active | Suspended)]
    ended = await withdrawn_beside(it, keys, kept, RevokeReason.REPLACED)
    return await _apply(it, record, requested, [key.id for key in kept], ended)


def is_included(it: StayNews, key: KeyCredential) -> bool:
    """Say whether whatever a key may still open is part of the stay as it is now."""
    core, stay, now = key.core, it.stay, it.services.now
    return (
        (core.holder, core.property_id) == (it.guest, stay.property_id)
        and set(core.rooms) <= set(stay.rooms)
        and stay.start <= max(core.window.start, now)
        and now < core.window.end <= stay.end
    )


async def _refuse(
    it: StayNews,
    record: Reservation,
    keys: Sequence[KeyRecord],
    included: Sequence[KeyRecord],
    refusal: InvalidInput,
) -> None:
    """End what the stay no longer includes though it can have no key as it is now; if it is over, all."""
    over = it.stay.end <= it.services.now
    reason = RevokeReason.CHECKOUT if over else RevokeReason.REPLACED
    ended = await withdrawn_beside(it, keys, included, reason)
    if not over:
        alarm_of_loss(ended.changes, refusal, it.services.now, it.services.log)
    confirmed = record.status is Status.CONFIRMED
    heard = replace(
        it.booking.heard_by(
            record, BookingOutcome.REFUSED, it.heard_at, f"{refusal.field}: {refusal.problem}"
        ),
        status=Status.CHECKED_OUT if over and confirmed else record.status,
        credentials=tuple(key.id for key in included),
    )
    await save_news(it, ended.changes, heard.write(), *ended.closed)


async def withdrawn_beside(
    it: StayNews, keys: Sequence[KeyRecord], kept: Sequence[KeyRecord], reason: RevokeReason
) -> Withdrawn:
    """Return what ends all keys but those that are kept."""
    rest = [key for key in keys if key not in kept]
    return await withdraw_keys(rest, reason, it.booking, it.ledger, it.services)


async def _requested(it: StayNews, record: Reservation) -> list[Change]:
    premises = await it.services.hotels.premises(it.booking.tenant, it.stay.property_id)
    claim = record.claim_of(record.incarnation + 1)
    wanted = Wanted(it.booking.tenant, it.guest, it.stay, claim, it.booking.cause, record.holds)
    return request_keys(wanted, premises, it.services)


async def _apply(
    it: StayNews,
    record: Reservation,
    requested: Sequence[Change],
    kept: Sequence[CredentialId] = (),
    ended: Withdrawn = NOTHING,
) -> tuple[CredentialId, ...]:
    confirmed = replace(
        it.booking.heard_by(record, BookingOutcome.APPLIED, it.heard_at),
        status=Status.CONFIRMED,
        incarnation=record.incarnation + 1,
        property_id=it.stay.property_id,
        stay=it.stay,
        **recency_of(it, record),
        credentials=(*(change.entry.id for change in requested), *kept),
    )
    tasks = manual_tasks(requested, it.services.log)
    await save_news(it, [*ended.changes, *requested], confirmed.write(), *ended.closed, *tasks)
    return confirmed.credentials


def recency_of(it: StayNews, record: Reservation) -> dict[str, Any]:
    """Return how new the stay is: a change that overtook its confirmation still stands beside it."""
    standing = it.booking.standing
    kept = record.amendment if record.overtaken(standing) else None
    return {"amendment": it.amendment or kept, "confirmed": record.confirmed if it.amendment else standing}


async def save_news(it: StayNews, changes: Sequence[Change], *beside: Write) -> None:
    """Save what becomes of a stay and its keys, and begin their work."""
    for saved in await it.ledger.save_all(changes, *beside):
        await begin_work(saved, it.ledger, it.services)
