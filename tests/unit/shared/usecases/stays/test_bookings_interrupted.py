"""A delivery may end between any two lines: the next one, or the sweeper, finishes what it began."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.grant_lifecycle import Place
from shared.ledger.delays import STARTED_WITHIN, STEP_LEASE
from shared.ledger.key_record import Work
from shared.ledger.ledger import Change
from shared.ledger.reservation import ref_of, reservation_from
from shared.usecases.stays.reactions import react
from shared.usecases.upkeep.sweep_due import sweep_due
from tests.support.few_doors import ROOMS, booking, door, move_in
from tests.support.ledger_books import MOCK, NOW, TTLOCK
from tests.support.mortal import Died, Life, Mortal

DOORS = door(1, ROOMS[:1], "pin"), door(2, ROOMS[1:2], "pin", vendor=TTLOCK)
LINES = 10
"""Before and after the commit, two tellings and two starts."""


def event(id_="evt_1", subject="confirmed", at=NOW, rooms=ROOMS[:2]):
    whole = booking(rooms)
    common = {"subject": f"melmastoon.reservation.booking.{subject}.v1", "time": at, "trace_id": None}
    return SimpleNamespace(**{**vars(whole), "id": id_, **common})


class Desk:
    """Where booking events arrive."""

    def __init__(self, books):
        self.books, self.life = books, Life()

    def services(self):
        services = self.books.services
        services.hotels._documents = Mortal(self.books.store, self.life)
        bus, sagas = (Mortal(port, self.life) for port in (self.books.bus, self.books.sagas))
        return replace(services, bus=bus, sagas=sagas)

    async def confirm(self):
        return await react(event(), self.services())

    async def end(self):
        ended = event("evt_2", "checked_out", NOW + timedelta(hours=1))
        return await react(ended, self.services())

    async def change(self):
        """Move the guest to a room that has no lock."""
        changed = event("evt_3", at=NOW + timedelta(hours=1), rooms=ROOMS[4:])
        return await react(changed, self.services())

    async def dies(self, delivery, line):
        self.life = Life()
        self.life.ends_at = line
        with pytest.raises(Died):
            await delivery()
        self.life = Life()

    async def keys(self):
        found = await self.books.documents.get(ref_of("rsv_1"))
        names = reservation_from(found).credentials if found else ()
        return [await self.books.ledger.entry(name) for name in names]

    async def everything_is_begun(self, sequence):
        """Check that the stay has its two keys, that all of them is told, and that each has its saga."""
        keys = await self.keys()
        assert sorted(key.credential.core.plan.current.vendor for key in keys) == [MOCK, TTLOCK]
        started = {(argument["saga_id"], argument["generation"]) for _, argument in self.books.sagas.started}
        assert {(key.id, key.saga.generation) for key in keys} <= started
        assert {name for name, _ in started} == {key.id for key in keys}
        told = {(m.ordering_key, m.attributes["sequence"]) for _, m in self.books.bus.published}
        assert {(key.id, str(sequence)) for key in keys} <= told
        assert len({message.data for _, message in self.books.bus.published}) == len(told)


@pytest.fixture
async def desk(books):
    await move_in(books, *DOORS)
    return Desk(books)


async def again(desk, delivery):
    """Come once more, after the time within which a saga is begun."""
    desk.books.clock.advance(seconds=STARTED_WITHIN.total_seconds())
    await delivery()


async def swept(desk, _delivery):
    """Leave it to the sweeper."""
    desk.books.clock.advance(seconds=STARTED_WITHIN.total_seconds())
    await sweep_due(desk.books.store, desk.books.services)


async def give_grants(desk):
    """Let both keys be at their doors."""
    for key in await desk.keys():
        kept = desk.books.kept(key).applied(Place(at=NOW))
        await desk.books.ledger.save(Change(replace(key, announced=1, due=None), grants=(kept,)))


async def test_deliveries_have_as_many_lines_as_are_died_at_below(desk):
    await desk.confirm()
    assert desk.life.steps == LINES
    await give_grants(desk)
    desk.life = Life()
    await desk.end()
    assert desk.life.steps == LINES


@pytest.mark.parametrize("finish", [again, swept])
@pytest.mark.parametrize("line", range(2, LINES + 1))
async def test_confirmation_that_dies_after_it_was_saved_is_finished(desk, line, finish):
    await desk.dies(desk.confirm, line)
    await finish(desk, desk.confirm)
    await desk.everything_is_begun(1)
    assert all(key.saga.kind is Work.ISSUE for key in await desk.keys())


async def test_confirmation_that_dies_before_it_was_saved_left_nothing_and_is_made_by_the_next(desk):
    await desk.dies(desk.confirm, 1)
    assert await desk.keys() == []
    await desk.confirm()
    await desk.everything_is_begun(1)


@pytest.mark.parametrize("finish", [again, swept])
@pytest.mark.parametrize("line", range(2, LINES + 1))
async def test_end_that_dies_after_it_was_saved_is_finished(desk, line, finish):
    await desk.confirm()
    await give_grants(desk)
    await desk.dies(desk.end, line)
    await finish(desk, desk.end)
    await desk.everything_is_begun(2)
    assert all(key.saga.kind is Work.SETTLE for key in await desk.keys())


@pytest.mark.parametrize("line", range(2, LINES + 1))
async def test_change_that_allows_no_key_and_dies_after_it_was_saved_is_finished_and_refused(desk, line):
    names = await desk.confirm()
    await give_grants(desk)
    await desk.dies(desk.change, line)
    with pytest.raises(InvalidInput, match="no lock is mapped"):
        await desk.change()
    await swept(desk, desk.change)
    assert {m.ordering_key for _, m in desk.books.bus.published if m.attributes["sequence"] == "2"} == {
        *names
    }
    begun = [argument for _, argument in desk.books.sagas.started if argument["generation"] > 1]
    assert {argument["saga_id"] for argument in begun} == {*names}
    assert await desk.keys() == []


async def test_change_that_allows_no_key_and_dies_before_it_was_saved_ends_nothing_until_it_comes_again(desk):
    names = await desk.confirm()
    await desk.dies(desk.change, 1)
    assert [key.id for key in await desk.keys()] == [*names]
    with pytest.raises(InvalidInput, match="no lock is mapped"):
        await desk.change()
    assert await desk.keys() == []


async def test_duplicate_that_comes_at_once_begins_nothing_twice(desk):
    keys = await desk.confirm()
    assert await desk.confirm() == keys
    assert len(desk.books.sagas.started) == 2
    assert len(desk.books.bus.published) == 2


async def test_saga_that_was_begun_is_looked_after_all_the_same(desk):
    await desk.confirm()
    assert {key.due for key in await desk.keys()} == {desk.books.clock.now() + STARTED_WITHIN}
    await swept(desk, None)
    assert {key.due for key in await desk.keys()} == {desk.books.clock.now() + STEP_LEASE}
