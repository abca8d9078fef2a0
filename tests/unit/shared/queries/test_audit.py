"""Up to which day the logs are closed, and from when on somebody is called."""

import pytest

from shared.queries.audit import anchors, overdue
from shared.queries.egress import egress
from shared.queries.hotels import Cell
from tests.support.audit_house import CELL, DAYS, audit_house, later, stay
from tests.support.few_doors import door, move_in


@pytest.fixture
async def house(tmp_path):
    async with audit_house(tmp_path) as house:
        yield house


def cell(house):
    return Cell(house.on.documents, CELL)


async def test_nothing_is_overdue_where_nothing_was_ever_told(house):
    assert await overdue(cell(house), house.clock.now()) == []


async def test_a_first_day_is_overdue_26_hours_after_its_end(house):
    await house.tell(*stay("key_a", DAYS[0]))
    house.at(f"{DAYS[2]}T01:59:00Z")
    assert await overdue(cell(house), house.clock.now()) == []
    house.at(f"{DAYS[2]}T02:01:00Z")
    assert await overdue(cell(house), house.clock.now()) == ["tnt_silk"]


async def test_a_log_that_was_closed_is_overdue_from_its_next_day_on(house):
    await house.close(DAYS[0])
    house.at(f"{later(DAYS[1], 1)}T23:00:00Z")
    assert await overdue(cell(house), house.clock.now()) == []
    house.clock.advance(hours=4)
    assert await overdue(cell(house), house.clock.now()) == ["cell", "tnt_silk"]
    of_cell, of_silk = await anchors(cell(house), house.clock.now())
    assert (of_cell["closed"], of_silk["closed"], of_silk["next"]) == (DAYS[0], DAYS[0], DAYS[1])
    assert of_silk["key"].startswith("audit.melmastoon.ghasi.io/local/tnt_silk+")


class Books:
    def __init__(self, documents):
        self.documents = documents


async def test_the_vendors_that_are_called_for_a_tenant_are_listed(tmp_path):
    async with audit_house(tmp_path, admitted=False) as house:
        await move_in(Books(house.documents), door(1, ["rmu_1"]), door(2, ["rmu_2"]))
        told = await egress(cell(house), "tnt_silk")
        assert told["vendors"] == [{"vendor": "mock", "locks": 2, "properties": ["ppt_kabul"]}]
        assert (told["cell"], told["witness"]) == ("local", None)
