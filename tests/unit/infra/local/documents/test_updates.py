"""An update writes what changed and leaves each other index alone; the row is whole all the same."""

from contextlib import contextmanager
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from infra.local.documents import drawers
from infra.local.documents.keys import key_of
from shared.ports.documents import Create, Delete, Ref, StaleVersion, Update
from tests.contract.documents.setting import ALPHA, DUE, Setting, sqlite_documents

SAGA = Ref("sagas", "s")
BEGUN = {"state": "waiting", "due_at": "2026-05-01", "number": 1}
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 53) + 1, (1 << 53) - 1)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = SCALARS | st.lists(SCALARS, max_size=2)


@contextmanager
def statements(setting):
    """Gather the updates of documents that SQLite is told to make."""
    told, connection = [], setting.engine._database.writer
    connection.set_trace_callback(lambda sql: told.append(sql) if sql.startswith('UPDATE "docs') else None)
    try:
        yield told
    finally:
        connection.set_trace_callback(None)


def columns_in(statement):
    """Return which columns that indexes read an update writes."""
    changed = statement.split(" SET ")[1].split(", version")[0] if " SET version" not in statement else ""
    return [
        column.split("=")[0].strip(' "').removeprefix("data.") for column in changed.split(", ") if column
    ]


def whole(setting):
    return setting.engine.read("PRAGMA integrity_check") == [("ok",)]


async def test_what_did_not_change_is_not_written_again(setting):
    version = await setting.create(SAGA, BEGUN)
    with statements(setting) as told:
        version = await setting.update(SAGA, {**BEGUN, "due_at": "2026-05-02", "note": "x"}, version)
        version = await setting.update(SAGA, {**BEGUN, "due_at": "2026-05-02", "note": "y"}, version)
        expires_at = setting.clock.now() + timedelta(days=1)
        await setting.update(SAGA, {"state": "done", "note": "y"}, version, expires_at=expires_at)
    assert [columns_in(each) for each in told] == [
        ["due_at"],
        [],
        ["due_at", "number", "state", "expires_at"],
    ]
    assert whole(setting)


async def test_of_what_nobody_remembers_all_is_written(setting, monkeypatch):
    version = await setting.create(SAGA, BEGUN)
    await setting.reopen()
    with statements(setting) as told:
        await setting.update(SAGA, {**BEGUN, "note": "x"}, version)
    assert columns_in(told[0]) == [
        "due_at",
        "number",
        "open",
        "owner.kind",
        "spread_at",
        "state",
        "expires_at",
    ]


async def test_only_the_latest_documents_are_remembered(setting, monkeypatch):
    monkeypatch.setattr(drawers, "REMEMBERED", 2)
    versions = [await setting.create(Ref("sagas", name), BEGUN) for name in "abc"]
    with statements(setting) as told:
        for name, version in zip("abc", versions, strict=True):
            await setting.update(Ref("sagas", name), BEGUN, version)
    assert [len(columns_in(each)) for each in told] == [7, 7, 7]
    with statements(setting) as told:
        document = await setting.alpha.get(Ref("sagas", "c"))
        await setting.update(document.ref, BEGUN, document.version)
    assert columns_in(told[0]) == []


async def test_what_was_taken_back_is_not_remembered(setting):
    version = await setting.create(SAGA, BEGUN)
    stale = Update(Ref("sagas", "none"), {}, "1")
    with pytest.raises(StaleVersion):
        await setting.alpha.commit([Update(SAGA, {**BEGUN, "state": "done"}, version), stale])
    # The number of a commit that was taken back is the next one's.
    await setting.create(Ref("sagas", "other"), BEGUN)
    await setting.update(SAGA, {**BEGUN, "state": "done"}, version)
    assert [each.ref for each in await setting.alpha.query(DUE, {"state": "done"})] == [SAGA]
    assert whole(setting)


@example([(1, 1), (1.0, 1.0), (True, 0.0), ("1", -0.0), (None, None), ([], 0.1)])
@given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=5))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_row_is_whole_and_found_whatever_its_fields_become(tmp_path_factory, fields):
    async with Setting(tmp_path_factory.mktemp("rows"), sqlite_documents, threaded=False) as setting:
        (version,) = await setting.alpha.commit([Create(SAGA, BEGUN)])
        for state, due_at in fields:
            version = await setting.update(SAGA, {"state": state, "due_at": due_at}, version)
            assert whole(setting)
            asked = isinstance(state, str | int | None)
            there = isinstance(due_at, str | int | float)
            if asked:
                found = await setting.store.tenant(ALPHA).query(DUE, {"state": state})
                assert [each.ref for each in found] == [SAGA] * there


@example(1, 1.0)
@example(0.0, -0.0)
@example(True, 1)
@given(SCALARS, SCALARS)
def test_what_is_kept_alike_is_of_one_kind(one, other):
    kept = key_of(one), key_of(other)
    assert (kept[0] == kept[1]) is (type(kept[0]) is type(kept[1]) and str(kept[0]) == str(kept[1]))


async def test_an_update_of_what_was_deleted_in_that_very_commit_is_stale(setting):
    gone, kept = Ref("sagas", "gone"), Ref("sagas", "kept")
    first, _ = await setting.alpha.commit([Create(gone, {"state": "x"}), Create(kept, {"state": "x"})])
    _, then = await setting.alpha.commit([Delete(gone, first), Update(kept, {"state": "y"}, first)])
    with pytest.raises(StaleVersion):
        await setting.alpha.commit([Update(gone, {"state": "z"}, then)])
