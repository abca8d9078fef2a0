"""A bulk revocation begins: told of again it goes on, and ordered again it is done again."""

from dataclasses import replace

import pytest

from shared.domain.ids import UserId
from shared.ledger.bulk_job import Stage, find_job
from shared.ledger.key_record import Cause
from shared.usecases.bulk.begin_bulk import BeginBulk, begin_bulk
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import KABUL, SILK

LOCK = door(1, ROOMS[:1], "pin")
TRACE = f"00-{'1' * 32}-{'2' * 16}-01"


def ordered(event=None):
    return BeginBulk(SILK, KABUL, Cause(TRACE, event), LOCK.id, UserId("usr_gm"))


@pytest.mark.parametrize(("event", "generations"), [(None, 2), ("evt_1", 1)])
async def test_what_a_person_orders_again_is_done_again_and_an_event_heard_again_is_not(
    books, event, generations
):
    await move_in(books, LOCK)
    first = await begin_bulk(ordered(event), books.services)
    await books.documents.commit([replace(first, stage=Stage.DONE, due=None).write()])
    books.clock.advance(minutes=1)
    # Meanwhile the lock was mapped anew, and is lost once more.
    again = await begin_bulk(ordered(event), books.services)
    known = await find_job(books.documents, str(LOCK.id))
    assert again.generation == known.generation == generations
    assert again.stage is (Stage.REVOKING if event is None else Stage.DONE)
    assert len(books.sagas.started) == generations
