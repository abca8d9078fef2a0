"""The guest is in: this is noted of their stay, and whatever rested because nobody came wakes.

It says nothing of what was booked, so it makes no stay newer; and it may come before the word that nobody
came, which it then speaks against all the same.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from shared.domain.ids import CredentialId
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.booking_notes import BookingOutcome
from shared.ledger.course import trimmed
from shared.ledger.reservation import Reservation
from shared.usecases.stays.booking import Hearing
from shared.usecases.stays.hear_booking import heard_before
from shared.usecases.stays.no_show import do_planned, heeding, overdue

if TYPE_CHECKING:
    from shared.events.envelope import Event


async def note_arrival(event: "Event", services: Services) -> tuple[CredentialId, ...]:
    """Note that a guest arrived, and return the keys of their stay."""
    it = Hearing.of(event, services)
    return await retry_on_conflict(lambda: _hear(it))


async def _hear(it: Hearing) -> tuple[CredentialId, ...]:
    record = await it.record()
    done = await heard_before(it, record)
    if done is not None:
        return done
    heard = beside_the_course(record, it.noted(record.noting(it.note), BookingOutcome.APPLIED))
    noted = trimmed(heeding(heard, it.note, it.services.now))
    await it.ledger.documents.commit([noted.write()])
    if overdue(noted, it.services.now):
        await do_planned(noted.id, it.ledger, it.services)
    return noted.credentials


def beside_the_course(before: Reservation, heard: Reservation) -> Reservation:
    """Return a stay that heard a word about its guest: how new the stay is, no such word can tell."""
    return replace(heard, standing=before.standing, highest=before.highest)
