"""A stay is another than it was: the keys it is to have now are requested, once, and their sagas begun.

What the guest has goes on as far as it opens no more than the stay includes. Where the stay as it is can have
no key, the last that it was, could have keys, and is part of it, has them: so what opens does not depend on
which of its events came first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, KeyCredentialId, RoomId
from shared.domain.kinds import RevokeReason, SetRole, VendorCode
from shared.domain.replacing import replace
from shared.domain.states import Active, Suspended
from shared.keywork.manual_task import alarm_of_loss, manual_tasks
from shared.keywork.orders import Order
from shared.keywork.start import begin_work
from shared.ledger.booking_notes import BookingEventNote, BookingOutcome
from shared.ledger.key_record import KeyRecord, Target
from shared.ledger.ledger import Change
from shared.ledger.reservation import Reservation, Status
from shared.ledger.stay import Stay
from shared.ports.documents import Write
from shared.usecases.stays.booking import StayNews, ahead_of, keys_of
from shared.usecases.stays.end_keys import EndedKeys, end_keys
from shared.usecases.stays.ignored import alarm_of_ignored
from shared.usecases.stays.request_keys import Wanted, request_keys
from shared.usecases.stays.room_at_once import check_shared, stays_beside
from shared.usecases.stays.turn import TURN, Joined, joined
from shared.usecases.upkeep.another_key import AnotherKey, request_beside


async def change_stay(it: StayNews, record: Reservation) -> tuple[CredentialId, ...]:
    """Request the keys of the stay as it is now, and end those that would open more than it includes.

    What works and opens no more than that the guest keeps beside the new keys, which may come late or never.
    """
    keys = await keys_of(record, it.ledger)
    included = [key for key in keys if is_included(it, key)]
    try:
        requested, before = await _requested(it, it.stay, record)
    except InvalidInput as refusal:
        return await _refuse(it, record, _Refused(refusal, keys, included))
    if not record.incarnation:
        order = Order(it.booking.cause, it.services.now)
        goes_on = await joined(before, requested, order, it.ledger)
        if goes_on is not None:
            return await _go_on(it, record, goes_on)
    kept = [key for key in included if _works(key)]
    requested += _copies(it, requested, [key for key in keys if key not in kept])
    ended = await withdrawn_beside(it, keys, kept, RevokeReason.REPLACED)
    confirmed = replace(
        applied(it, record),
        incarnation=record.incarnation + 1,
        credentials=(*(change.entry.id for change in requested), *(key.id for key in kept)),
    )
    tasks = manual_tasks(requested, it.services.log)
    await save_news(it, [*ended.changes, *requested], confirmed.write(), *ended.closed, *tasks)
    return confirmed.credentials


async def _go_on(it: StayNews, record: Reservation, found: Joined) -> tuple[CredentialId, ...]:
    """Have the guest's key of the stay before open in this one too."""
    confirmed = replace(
        applied(it, record), incarnation=1, credentials=(found.change.entry.id,), turn=found.first.id
    )
    await save_news(it, [found.change], confirmed.write(), found.first.write())
    return confirmed.credentials


def _copies(it: StayNews, requested: Sequence[Change], ending: Sequence[KeyRecord]) -> list[Change]:
    """Return as many copies of the new keys as the party loses of the old ones."""
    order, ulid = Order(it.booking.cause, it.services.now), it.services.ids.ulid
    lost = [_vendor_of(key) for key in ending if key.is_copy]
    return [
        request_beside(
            change.entry,
            AnotherKey(KeyCredentialId.mint(ulid()), SetRole.COPY, change.entry.credential.core.plan),
            order,
        )
        for change in requested
        for _ in range(lost.count(_vendor_of(change.entry)))
    ]


def _vendor_of(key: KeyRecord) -> VendorCode:
    return key.credential.core.plan.current.vendor


def applied(it: StayNews, record: Reservation) -> Reservation:
    """Return the record of a stay that is as its events say, and is so by them."""
    made = {each.event_id for each in record.heard} & {*it.course.made_by, it.booking.id}
    heard = tuple(_done(each) if each.event_id in made else each for each in record.heard)
    return replace(
        record,
        status=Status.CONFIRMED,
        stay=it.stay,
        property_id=it.stay.property_id,
        heard=heard,
        refused=False,
    )


def _done(note: BookingEventNote) -> BookingEventNote:
    return replace(note, outcome=BookingOutcome.APPLIED, because=ahead_of(note))


def is_included(it: StayNews, key: KeyRecord) -> bool:
    """Say whether whatever a key may still open, or is about to, is part of the stay as it is now."""
    core = key.credential.core
    if (core.holder, core.property_id) != (it.guest, it.stay.property_id):
        return False
    opens = (Target(core.rooms, core.window), *(() if key.amends is None else (key.amends,)))
    return all(it.stay.covers(each.rooms, each.window, it.services.now) for each in opens)


@dataclass(frozen=True, slots=True)
class _Refused:
    """A stay that can have no key as it is, and what it had: all its keys, and those within it."""

    refusal: InvalidInput
    keys: Sequence[KeyRecord]
    included: Sequence[KeyRecord]

    def kept_for(self, stay: Stay | None) -> list[KeyRecord]:
        """Return the keys within it that go on: such as work, and such as are made for what it may have."""
        return [key for key in self.included if _works(key) or _rooms_of(key, stay)]


def _works(key: KeyRecord) -> bool:
    return isinstance(key.credential.state, Active | Suspended)


def _rooms_of(key: KeyRecord, stay: Stay | None) -> frozenset[RoomId]:
    """Return the rooms of a stay that a key opens, or will, for as long as the stay lasts."""
    if stay is None or key.credential.is_withdrawn:
        return frozenset()
    core = key.credential.core
    target = key.amends or Target(core.rooms, core.window)
    lasts = (target.window.start, target.window.end) == (stay.start, stay.end)
    return frozenset(stay.rooms) & frozenset(target.rooms) if lasts else frozenset()


async def _refuse(it: StayNews, record: Reservation, found: _Refused) -> tuple[CredentialId, ...]:
    """End what the stay no longer includes though it can have no key as it is now; if it is over, all."""
    over = it.stay.end <= it.services.now
    possible, requested = (None, []) if over else await _still_possible(it, record)
    kept = found.kept_for(possible)
    if possible is not None and _has(possible, kept):
        requested = []
    ended = await withdrawn_beside(
        it, found.keys, kept, RevokeReason.CHECKOUT if over else RevokeReason.REPLACED
    )
    if not (over or requested):
        alarm_of_loss(ended.changes, found.refusal, it.services.now, it.services.log)
    named = (*(change.entry.id for change in requested), *(key.id for key in kept))
    heard = replace(
        _noted(it, record, found, ended.changes, requested),
        status=Status.CHECKED_OUT if over else Status.CONFIRMED,
        stay=it.stay,
        property_id=it.stay.property_id,
        refused=True,
        incarnation=record.incarnation + (1 if requested else 0),
        credentials=named,
    )
    tasks = manual_tasks(requested, it.services.log)
    await save_news(it, [*ended.changes, *requested], heard.write(), *ended.closed, *tasks)
    if it.tells_it:
        raise found.refusal
    return named


def _noted(
    it: StayNews, record: Reservation, found: _Refused, ended: Sequence[Change], requested: Sequence[Change]
) -> Reservation:
    """Return the record with what was refused, or with what a refused stay made of older news."""
    because = f"{found.refusal.field}: {found.refusal.problem}"
    if it.tells_it:
        count = f"{len(ended)} of its keys was" if len(ended) == 1 else f"{len(ended)} of its keys were"
        done = f"; {count} ended, for it includes them no more" if ended else ""
        return it.hearing.noted(record, BookingOutcome.REFUSED, because + done)
    if requested:
        return it.hearing.noted(record, BookingOutcome.APPLIED, f"for what is newer cannot: {because}")
    because = f"what is newer can have no key: {because}"
    if it.stay.end > it.services.now and not found.included:
        alarm_of_ignored(it.hearing, replace(record, credentials=()), it.course, because)
    return it.hearing.noted(record, BookingOutcome.IGNORED, because)


async def _still_possible(it: StayNews, record: Reservation) -> tuple[Stay | None, list[Change]]:
    """Return the last that the stay was, is part of what it is now, and can have keys; with those keys."""
    for stay in reversed(it.course.steps[:-1]):
        if it.stay.includes(stay, it.services.now):
            try:
                return stay, (await _requested(it, stay, record))[0]
            except InvalidInput:
                continue
    return None, []


def _has(stay: Stay, keys: Sequence[KeyRecord]) -> bool:
    return set(stay.rooms) <= {room for key in keys for room in _rooms_of(key, stay)}


async def withdrawn_beside(
    it: StayNews, keys: Sequence[KeyRecord], kept: Sequence[KeyRecord], reason: RevokeReason
) -> EndedKeys:
    """Return what ends all keys but those that are kept."""
    rest = [key for key in keys if key not in kept]
    return await end_keys(rest, reason, it.booking, it.ledger, it.services)


async def _requested(it: StayNews, stay: Stay, record: Reservation) -> tuple[list[Change], KeyRecord | None]:
    """Return the keys of a stay, and its guest's key right before it in its room, which may go on as one."""
    premises = await it.services.hotels.premises(it.booking.tenant, stay.property_id)
    premises.check_open()
    claim = record.claim_of(record.incarnation + 1)
    guest = stay.held_by(it.booking.reservation)
    turn = timedelta() if record.incarnation else TURN
    beside = await stays_beside(stay, guest, premises, it.ledger, turn)
    check_shared(beside.sharers, guest, premises.policy)
    wanted = Wanted(it.booking.tenant, guest, stay, claim, it.booking.cause, record.holds, beside.sharers)
    return request_keys(wanted, premises, it.services), beside.before


async def save_news(it: StayNews, changes: Sequence[Change], *beside: Write) -> None:
    """Save what becomes of a stay and its keys, and begin their work."""
    for saved in await it.ledger.save_all(changes, *beside):
        await begin_work(saved, it.ledger, it.services)
