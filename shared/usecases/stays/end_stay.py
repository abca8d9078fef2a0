"""A stay is off or over: its keys end in the ledger at once, and at the locks as soon as they let go."""

from dataclasses import replace

from shared.domain.ids import CredentialId
from shared.keywork.start import begin_work
from shared.ledger.booking_notes import BookingOutcome
from shared.ledger.course import STATUSES, Course
from shared.ledger.reservation import Reservation
from shared.usecases.stays.booking import Hearing, ahead_of, keys_of
from shared.usecases.stays.end_keys import end_keys
from shared.usecases.stays.turn import settle_turn


async def end_stay(it: Hearing, record: Reservation, course: Course) -> tuple[CredentialId, ...]:
    """End the keys of a stay; one that nobody confirmed has none, and gets none by what was overtaken."""
    await settle_turn(record, it.ledger, it.services, over=True)
    keys = await keys_of(record, it.ledger)
    reason = next(reason for reason, status in STATUSES.items() if status is course.status)
    ended = await end_keys(keys, reason, it.booking, it.ledger, it.services)
    noted = it.noted(record, BookingOutcome.APPLIED, ahead_of(it.note))
    heard = replace(noted, status=course.status, refused=False)
    for saved in await it.ledger.save_all(ended.changes, heard.write(), *ended.closed):
        await begin_work(saved, it.ledger, it.services)
    return record.credentials
