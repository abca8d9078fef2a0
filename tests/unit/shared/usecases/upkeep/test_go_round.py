"""A round through a cell's houses: all of them, side by side, paced, and on from where a call stopped."""

import asyncio
from datetime import timedelta

import pytest

from shared.domain.ids import PropertyId, TenantId
from shared.ledger.hourly_round import CAUGHT_UP, Round
from shared.ledger.residents import houses_of, residents
from shared.ports.documents import Create, Ref
from shared.queries.hotels import Cell
from shared.usecases.upkeep import go_round as rounds
from shared.usecases.upkeep.go_round import A_SECOND, LANES, LONGEST, Visitor, go_round
from shared.vendor_kit.calm.blocks import PLATFORM
from tests.support.ledger_books import HOUR, NOW

NAME = "look-round"


async def settle_in(books, companies, houses=1):
    """Keep the records of so many companies of so many houses; return the houses in their order."""
    for number in range(companies):
        tenant = f"tnt_{number:04}"
        record = Create(Ref("tenant", "record"), {"id": tenant, "data_residency": "local"})
        names = [f"ppt_{number:04}_{each}" for each in range(houses)]
        kept = [Create(Ref("properties", name), {"id": name}) for name in names]
        await books.store.tenant(TenantId(tenant)).commit([record, *kept])
    return [f"ppt_{number:04}_{each}" for number in range(companies) for each in range(houses)]


class Walker:
    """Goes round, and notes whom it visits; each visit and each rest takes its time by the test's clock."""

    def __init__(self, books, monkeypatch, begins=0, takes=timedelta()):
        self.books, self.begins, self.takes = books, begins, takes
        self.visited, self.hours, self.broken, self.rests = [], [], {}, []
        self.inside = self.most_inside = 0
        self.sleep = asyncio.sleep
        monkeypatch.setattr(rounds.asyncio, "sleep", self.rest)

    async def rest(self, seconds):
        self.rests.append(seconds)
        self.books.clock.advance(seconds=seconds)

    async def visit(self, _tenant, house, hour):
        self.inside += 1
        self.most_inside = max(self.inside, self.most_inside)
        await self.sleep(0)
        self.inside -= 1
        self.books.clock.advance(seconds=self.takes.total_seconds())
        if problem := self.broken.get(house):
            raise problem
        self.visited.append(house)
        self.hours.append(hour)
        return self.begins

    async def go(self):
        services = self.books.services
        visitor = Visitor(NAME, 0, "not visited", services.hotels.admit, self.visit)
        return await go_round(visitor, self.books.store, "local", services)


async def test_more_companies_than_one_question_brings_back_are_all_listed(books):
    names = [f"tnt_{number:04}" for number in range(1002)]
    for name in names:
        where = "elsewhere" if name == "tnt_0007" else "local"
        record = Create(Ref("tenant", "record"), {"id": name, "data_residency": where})
        await books.store.tenant(TenantId(name)).commit([record])
    names.remove("tnt_0007")
    assert await Cell(books.store, "local").tenants() == names
    for page in (3, 500):
        late = [each async for each in residents(books.store, "local", TenantId("tnt_0990"), page)]
        assert late == names[-12:]


async def test_all_houses_of_a_company_are_listed_page_by_page(books):
    houses = await settle_in(books, 1, 7)
    store = books.store.tenant(TenantId("tnt_0000"))
    for page in (2, 3, 7, 8):
        assert await houses_of(store, page=page) == houses
        assert await houses_of(store, PropertyId(houses[2]), page=page) == houses[3:]


async def test_houses_are_visited_side_by_side_and_no_more_than_that_at_once(books, monkeypatch):
    houses = await settle_in(books, 20, 2)
    walker = Walker(books, monkeypatch)
    assert (await walker.go())["visited"] == 40
    assert sorted(walker.visited) == houses
    assert walker.most_inside == LANES
    assert (await walker.go())["visited"] == 0


async def test_what_is_begun_is_begun_no_faster_than_adapters_take_it(books, monkeypatch):
    await settle_in(books, 40)
    walker = Walker(books, monkeypatch, begins=3)
    told = await walker.go()
    assert (told["begun"], told["over"]) == (120, True)
    assert sum(walker.rests) >= (120 - 3 * LANES) / A_SECOND
    assert max(walker.rests) == 3 * LANES / A_SECOND


async def test_a_call_out_of_time_says_whom_it_left_and_the_next_goes_on_there(books, monkeypatch):
    houses = await settle_in(books, 12, 5)
    walker = Walker(books, monkeypatch, takes=LONGEST / LANES / 1.5)
    first = await walker.go()
    assert first["over"] is False
    assert first["after"] == walker.visited[-1] == houses[len(walker.visited) - 1]
    calls = 1
    while len(walker.visited) < len(houses):
        assert (await walker.go())["visited"]
        calls += 1
    assert calls > 1
    assert walker.visited == houses
    assert set(walker.hours) == {NOW}
    warned = [each for each in books.lines if "longer than its hour" in each["message"]]
    assert not warned


async def test_a_round_that_takes_longer_than_its_hour_is_ended_and_no_hour_is_left_out(books, monkeypatch):
    houses = await settle_in(books, 3 * LANES)
    walker = Walker(books, monkeypatch, takes=1.1 * HOUR / LANES)
    stopped = list[str]()
    while not (told := await walker.go())["over"]:
        stopped.append(told["after"])
    assert walker.hours == [NOW] * len(houses)
    assert stopped[0] == houses[LANES - 1]
    assert [each["after"] for each in books.lines if "longer than its hour" in each["message"]] == stopped
    walker.takes = timedelta()
    for late in (1, 2, 3):
        await walker.go()
        assert walker.hours[-1] == NOW + late * HOUR
    assert (await walker.go())["visited"] == 0


async def test_hours_in_which_nobody_went_round_are_made_good_as_far_back_as_three(books, monkeypatch):
    await settle_in(books, 1)
    walker = Walker(books, monkeypatch)
    await walker.go()
    books.clock.advance(seconds=10 * 3600)
    while (await walker.go())["visited"]:
        pass
    assert walker.hours == [NOW, *(NOW + 10 * HOUR - CAUGHT_UP + late * HOUR for late in range(4))]


async def test_a_broken_house_or_company_keeps_no_other_waiting_and_is_told(books, monkeypatch):
    houses = await settle_in(books, 5)
    walker = Walker(books, monkeypatch)
    walker.broken[houses[1]] = RuntimeError("unreadable")
    told = await walker.go()
    assert (told["visited"], told["failed"], told["over"]) == (5, 1, True)
    assert [each["property"] for each in books.lines if each["message"].startswith("not visited")] == [
        houses[1]
    ]


async def test_of_two_that_walk_at_once_one_leaves_and_a_dead_one_is_taken_up(books, monkeypatch):
    houses = await settle_in(books, 2 * LANES)
    walker = Walker(books, monkeypatch, takes=timedelta(seconds=2))

    class Died(BaseException):
        """The process is killed."""

    walker.broken[houses[LANES + 3]] = Died()
    with pytest.raises(Died):
        await walker.go()
    assert (await walker.go())["visited"] == 0
    walker.broken.clear()
    books.clock.advance(seconds=300)
    assert (await walker.go())["over"] is True
    assert set(walker.visited) == set(houses)
    assert set(walker.hours) == {NOW}


async def test_a_walk_that_another_took_over_ends(books, monkeypatch):
    houses = await settle_in(books, 3 * LANES)
    walker = Walker(books, monkeypatch, takes=timedelta(seconds=2))
    store, visit = books.store.tenant(PLATFORM), walker.visit

    async def taken(tenant, house, hour):
        if house == houses[LANES]:
            found = await store.get(Ref("rounds", NAME))
            await store.commit([Round(name=NAME, hour=NOW, over=True, version=found.version).write()])
        return await visit(tenant, house, hour)

    walker.visit = taken
    assert (await walker.go())["visited"] == 0
    assert len(walker.visited) <= 2 * LANES
    assert (await walker.go())["visited"] == 0


async def test_a_round_of_an_hour_to_come_binds_nobody_once_clocks_are_right(books, monkeypatch):
    await settle_in(books, 1)
    walker = Walker(books, monkeypatch)
    ahead = Round(name=NAME, hour=NOW + 900 * HOUR, over=True, walked_until=NOW + 901 * HOUR)
    await ahead.saved(books.store.tenant(PLATFORM))
    assert (await walker.go())["visited"] == 1
    assert walker.hours == [NOW]
