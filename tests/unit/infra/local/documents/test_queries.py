"""Declared indexes become indexes of SQLite that answer their queries without sorting or scanning."""

import pytest

from infra.local.documents.queries import Query, reaches
from infra.local.documents.store import SqliteDocuments
from shared.domain.errors import InvalidInput
from shared.ports.documents import Index
from tests.contract.documents.setting import DUE, INDEXES, NUMBERED, WHOLE

HOLES = {
    "of": ["tnt_a", "x", "", "y", 0, 9],
    "all": ["tnt_a", "", "y", 0, 9],
    "across": ["x", "", "y", 0, 9],
}


def plan(setting, statement, holes):
    """Return how SQLite will go about a statement."""
    steps = setting.engine.read(f"EXPLAIN QUERY PLAN {statement}", holes)
    return [step[3] for step in steps]


def declared(setting):
    """Return the names of the declared indexes in the file."""
    found = setting.engine.read("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE '% by %'")
    return sorted(name for (name,) in found)


@pytest.mark.parametrize(
    ("index", "holes", "narrowed"),
    [(DUE, "of", "(tenant=? AND data.state=? AND"), (WHOLE, "all", "(tenant=? AND")],
)
async def test_a_query_is_answered_in_order_by_its_index_alone(setting, index, holes, narrowed):
    (step,) = plan(setting, Query("main", index).of_tenant(bounded=True, resumed=False), HOLES[holes])
    assert step.startswith(f"SEARCH docs_main_sagas USING INDEX main of {index.name} {narrowed}")


async def test_a_further_page_is_entered_where_the_one_before_ended(setting):
    holes = ["tnt_a", "x", "y", 0, 9]
    (step,) = plan(setting, Query("main", DUE).of_tenant(bounded=False, resumed=True), holes)
    assert step.endswith("sagas(state) by due_at (tenant=? AND data.state=? AND data.due_at>?)")
    (step,) = plan(setting, Query("main", WHOLE).ties_of_tenant(), ["tnt_a", "y", "a", 0, 9])
    assert step.endswith("sagas() by due_at (tenant=? AND data.due_at=? AND id>?)")


@pytest.mark.parametrize(
    ("until", "value", "within"),
    [(None, 3, True), ("b", "b", True), ("b", "c", False), (3, 2.5, True), (3, 4, False), ("b", 3, False)],
)
def test_a_place_beyond_the_bound_has_no_ties_that_are_asked_for(until, value, within):
    assert reaches(until, value) is within


async def test_a_sweep_is_answered_in_order_by_its_index_alone(setting):
    (step,) = plan(setting, Query("main", DUE).across_tenants(bounded=True), HOLES["across"])
    assert step.startswith(
        "SEARCH docs_main_sagas USING COVERING INDEX main across sagas(state) by due_at (data.state=?"
    )


async def test_only_a_swept_index_is_kept_across_tenants(setting):
    assert [name for name in declared(setting) if name.startswith("main across")] == [
        "main across sagas() by spread_at",
        "main across sagas(state) by due_at",
    ]
    assert "main of sagas() by spread_at" not in declared(setting)


async def test_each_database_has_indexes_of_its_own(setting):
    names = declared(setting)
    assert [name.replace("sealed ", "main ") for name in names if name.startswith("sealed ")] == [
        name for name in names if name.startswith("main ")
    ]


async def test_an_index_no_longer_declared_is_dropped_and_the_others_stay(setting):
    before = declared(setting)
    await SqliteDocuments(setting.engine, setting.clock, (DUE,), "main").prepare()
    assert set(before) - set(declared(setting)) == {
        "main across sagas() by spread_at",
        "main of sagas(owner.kind, open) by number",
        "main of sagas() by due_at",
    }


async def test_preparing_again_changes_nothing(setting):
    before = setting.engine.read("SELECT name, rootpage FROM sqlite_master ORDER BY name")
    await SqliteDocuments(setting.engine, setting.clock, INDEXES, "main").prepare()
    assert setting.engine.read("SELECT name, rootpage FROM sqlite_master ORDER BY name") == before


def test_no_two_indexes_have_one_name():
    alike = [Index("a", ("b_c",), "d"), Index("a_b", ("c",), "d"), Index("a", ("b", "c"), "d"), NUMBERED, DUE]
    assert len({index.name for index in alike}) == len(alike)


@pytest.mark.parametrize(
    "index",
    [
        Index("sagas'", ("state",), "due_at"),
        Index('sagas"', ("state",), "due_at"),
        Index("sagas", ("state')--",), "due_at"),
        Index("sagas", ("state",), "due_at'; DROP TABLE documents"),
        Index("sagas", ("a..b",), "due_at"),
        Index("sagas", ("",), "due_at"),
        Index("sagas", ("a[0]",), "due_at"),
        Index("sagas", ("state\n",), "due_at"),
        Index("", ("state",), "due_at"),
    ],
)
def test_an_index_over_anything_but_names_is_refused(index):
    with pytest.raises(InvalidInput, match="index"):
        Query("main", index)
