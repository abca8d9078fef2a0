"""An event of a booking is heard: what all that was told of the stay amounts to is done, and this is noted.

| all that was told amounts to | and the stay was | then |
|---|---|---|
| a stay that is over | confirmed | its keys end |
| | awaited, or over | nothing is done, for there are none |
| a stay that is awaited | | nothing is done until it is confirmed |
| a stay that goes on | as it is now, with keys | nothing is done |
| | another, over, or without keys | its keys follow it, or are made |

What is done is noted as applied; what changed nothing as ignored, with the reason; what can have no key as
refused. An event that is ignored though it would have ended access, or would have given it to a stay that has
none, is an alarm, and so is one that bears the id of another.
"""

from typing import TYPE_CHECKING

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId
from shared.domain.reactions import Action
from shared.domain.replacing import replace
from shared.domain.states import Failed
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.booking_notes import BookingOutcome
from shared.ledger.course import OVER, Course, course_of, trimmed
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import Reservation, Status
from shared.ledger.stay import Amendment, Stay
from shared.usecases.stays.amend_stay import amend_stay
from shared.usecases.stays.booking import Hearing, StayNews, ahead_of, keys_of, warn_if_ahead
from shared.usecases.stays.change_stay import change_stay
from shared.usecases.stays.end_stay import end_stay
from shared.usecases.stays.ignored import alarm_of_ignored, alarm_of_reuse, why_ignored
from shared.usecases.stays.no_show import do_planned, heeding, overdue
from shared.usecases.stays.turn import settle_turn
from shared.usecases.upkeep.tend_key import tend_if_due

if TYPE_CHECKING:
    from shared.events.envelope import Event


async def hear_booking(
    event: "Event", services: Services, booked: Stay | None = None, changed: Amendment | None = None
) -> tuple[CredentialId, ...]:
    """Return the keys of the stay as it is now, or was when it ended."""
    it = Hearing.of(event, services, booked, changed)
    return await retry_on_conflict(lambda: _hear(it))


async def resume(record: Reservation, ledger: Ledger, services: Services) -> tuple[CredentialId, ...]:
    """Take up what an earlier delivery left, and make no second key."""
    for credential in record.credentials:
        await tend_if_due(credential, ledger, services)
    return record.credentials


async def heard_before(it: Hearing, record: Reservation) -> tuple[CredentialId, ...] | None:
    """Return the keys of a stay that heard of an event before, and left nothing of it undone; else None.

    What bears the id of another event is told of once, and not heeded: nobody can tell which is meant.
    What was refused may come again as it was, or corrected.
    """
    known = record.note_of(it.booking.id)
    if known is None or known.outcome is BookingOutcome.REFUSED:
        return None
    if known.differs is None and not known.says_as(it.note):
        alarm_of_reuse(it)
        record = record.noting(replace(known, differs=it.services.now))
        await it.ledger.documents.commit([record.write()])
    return await resume(record, it.ledger, it.services)


async def _hear(it: Hearing) -> tuple[CredentialId, ...]:
    record = await it.record()
    done = await heard_before(it, record)
    if done is not None:
        return done
    heeded = heeding(_hearing(it, record), it.note, it.services.now)
    record = replace(await _remembered(it, heeded), checked=it.services.now)
    keys = await _follow(it, record, course_of(record))
    if overdue(record, it.services.now):
        await do_planned(record.id, it.ledger, it.services)
    return keys


def _hearing(it: Hearing, record: Reservation) -> Reservation:
    known = record.note_of(it.booking.id)
    if known is None:
        warn_if_ahead(it)
        return trimmed(record.noting(it.note))
    if known.says_as(it.note):
        return record
    return record.noting(replace(it.note, at=known.at, differs=it.services.now))


async def _follow(it: Hearing, record: Reservation, course: Course) -> tuple[CredentialId, ...]:
    if course.status in OVER:
        return await _over(it, record, course)
    if it.booking.id in course.clashing:
        clash = InvalidInput(
            "data.validUntil", "not after validFrom", "Correct the dates, then replay the message"
        )
        noted = it.noted(record, BookingOutcome.REFUSED, f"{clash.field}: {clash.problem}")
        await it.ledger.documents.commit([noted.write()])
        raise clash
    if course.stay is None:
        noted = it.noted(record, BookingOutcome.APPLIED, ahead_of(it.note))
        await it.ledger.documents.commit([noted.write()])
        return ()
    return await _goes_on(StayNews(it, course.stay, course), record)


async def _over(it: Hearing, record: Reservation, course: Course) -> tuple[CredentialId, ...]:
    if record.status not in OVER:
        return await end_stay(it, record, course)
    ended = replace(record, status=course.status, stay=course.stay or record.stay)
    return await _ignore(it, ended, course)


async def _goes_on(news: StayNews, record: Reservation) -> tuple[CredentialId, ...]:
    if not await _is_news(news, record):
        return await _ignore(news.hearing, replace(record, stay=news.stay), news.course)
    await settle_turn(record, news.ledger, news.services)
    follows = news.hearing.note.action is Action.AMEND and await amend_stay(news, record)
    return follows or await change_stay(news, record)


async def _is_news(news: StayNews, record: Reservation) -> bool:
    """Say whether the stay is another, is one again, could have no key so far, or has only failed ones."""
    action, known = news.hearing.note.action, record.stay
    if record.refused and known is not None and known.opens == news.stay.opens:
        return action is not Action.REVOKE
    if record.status is not Status.CONFIRMED or known is None or known.opens != news.stay.opens:
        return True
    if action is not Action.ISSUE or not news.tells_it:
        return False
    keys = await keys_of(record, news.ledger)
    if any(key.then is not None for key in keys):
        return False
    own = [key.credential for key in keys if key.credential.core.claim == record.claim]
    return all(isinstance(key.state, Failed) for key in own)


async def _ignore(it: Hearing, record: Reservation, course: Course) -> tuple[CredentialId, ...]:
    because = why_ignored(it.note, record, course)
    alarm_of_ignored(it, record, course, because)
    noted = it.noted(record, BookingOutcome.IGNORED, because)
    await it.ledger.documents.commit([noted.write()])
    return await resume(noted, it.ledger, it.services)


async def _remembered(it: Hearing, record: Reservation) -> Reservation:
    """Return the record with the stay that an earlier release did not keep, as far as its keys tell."""
    before = record.beginning
    if before is None or before.booked is not None or record.status is not Status.CONFIRMED:
        return record
    cores = [key.credential.core for key in await keys_of(record, it.ledger)]
    cores = [core for core in cores if core.claim == record.claim]
    if not cores:
        return record
    first = cores[0]
    stay = Stay(
        property_id=first.property_id,
        guest_id=first.holder.guest_id,  # type: ignore[union-attr] # a stay's keys are its guest's
        rooms=tuple(dict.fromkeys(room for core in cores for room in core.rooms)),
        start=first.window.start,
        end=first.window.end,
        scope=first.scope,
    )
    return replace(record, stay=stay, beginning=replace(before, booked=stay))
