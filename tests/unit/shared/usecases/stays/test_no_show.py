"""Words that a guest did not come, or did, end alike in any order and after any death."""

import itertools
from datetime import timedelta

import pytest

from shared.domain.kinds import SuspendReason
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.indexes import DUE_STAYS
from shared.ledger.reservation import Status, ref_of, reservation_from
from shared.usecases.stays.reactions import react
from shared.usecases.upkeep.sweep_due import sweep_due
from tests.support.few_doors import move_in
from tests.support.ledger_books import NOW
from tests.support.mortal import Life
from tests.unit.shared.usecases.stays.test_bookings_interrupted import DOORS, Desk, event

NO_SHOW = SuspendReason.NO_SHOW
SECOND = timedelta(seconds=1)
LINES = 4
"""Before and after two commits: it is noted, and what it speaks against is dropped."""


@pytest.fixture
async def desk(books):
    await move_in(books, *DOORS)
    return Desk(books)


def said(desk, id_, subject, at):
    return lambda: react(event(id_, subject, at), desk.services())


async def record(desk):
    return reservation_from(await desk.books.documents.get(ref_of("rsv_1")))


async def swept(desk):
    desk.books.clock.advance(seconds=STARTED_WITHIN.total_seconds())
    await sweep_due(desk.books.store, desk.books.services)


async def test_no_show_holds_the_stay_and_each_of_its_keys_in_one_commit(desk):
    await desk.confirm()
    await said(desk, "evt_2", "no_show", NOW)()
    assert (await record(desk)).holds == {NO_SHOW}
    assert [key.holds for key in await desk.keys()] == [{NO_SHOW}] * 2


async def test_arrivals_have_as_many_lines_as_are_died_at_below(desk):
    await desk.confirm()
    await said(desk, "evt_2", "no_show", NOW)()
    desk.life = Life()
    await said(desk, "evt_3", "checked_in", NOW + SECOND)()
    assert desk.life.steps == LINES


@pytest.mark.parametrize("line", range(1, LINES + 1))
async def test_arrival_that_dies_anywhere_is_finished_by_the_sweeper_or_the_next_delivery(desk, line):
    await desk.confirm()
    await said(desk, "evt_2", "no_show", NOW)()
    arrival = said(desk, "evt_3", "checked_in", NOW + SECOND)
    await desk.dies(arrival, line)
    await swept(desk)
    if (await record(desk)).holds:
        await arrival()  # it was never noted: the bus brings it again
    assert (await record(desk)).holds == frozenset()
    assert (await record(desk)).planned == ()
    assert [key.holds for key in await desk.keys()] == [frozenset()] * 2


WORDS = {"no_show": NOW, "checked_in": NOW + SECOND, "confirmed": NOW - SECOND}


@pytest.mark.parametrize("order", list(itertools.permutations(WORDS)), ids=", ".join)
async def test_every_order_of_the_words_leaves_the_guest_a_key_that_nothing_holds(desk, order):
    for subject in (*order, *order):
        await said(desk, f"evt_{subject}", subject, WORDS[subject])()
    await swept(desk)
    found = await record(desk)
    assert (found.status, found.holds, found.planned) == (Status.CONFIRMED, frozenset(), ())
    assert [key.holds for key in await desk.keys()] == [frozenset()] * 2


@pytest.mark.parametrize(
    "order", list(itertools.permutations(("no_show", "confirmed", "early"))), ids=", ".join
)
async def test_arrival_that_is_older_than_the_no_show_does_not_speak_against_it(desk, order):
    """The guest was let in, and a later audit says the room was never slept in."""
    times = {"no_show": NOW, "confirmed": NOW - 2 * SECOND, "early": NOW - SECOND}
    subjects = {"early": "checked_in"}
    for word in order:
        await said(desk, f"evt_{word}", subjects.get(word, word), times[word])()
    await swept(desk)
    assert (await record(desk)).holds == {NO_SHOW}
    assert [key.holds for key in await desk.keys()] == [{NO_SHOW}] * 2


async def test_nothing_is_due_for_a_stay_that_nobody_confirmed(desk):
    await said(desk, "evt_2", "no_show", NOW)()
    assert len((await record(desk)).planned) == 1
    assert await desk.books.store.sweep(DUE_STAYS, {}, until=2**52, limit=10) == []


async def test_no_show_whose_producer_s_clock_is_minutes_fast_holds_as_it_is_heard(desk):
    await desk.confirm()
    await said(desk, "evt_2", "no_show", NOW + timedelta(minutes=4))()
    assert (await record(desk)).holds == {NO_SHOW}
