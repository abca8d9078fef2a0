"""A file of the release before is taken in whole, wherever the fleet dies; new indexes read old documents."""

import itertools
import signal
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from infra.local.documents import SCHEMA, former, schema
from infra.local.documents.store import SqliteDocuments
from infra.local.storage import connection as connection_module
from infra.local.storage.connection import checksum, connected_to_check, is_of_newer_release
from infra.local.storage.database import Damaged
from infra.local.storage.salvage import salvage
from shared.ports.documents import Create, Delete, Index, Ref, Update
from tests.contract.documents.setting import ALPHA, BETA, DUE, INDEXES, ROOM, Setting, sqlite_documents
from tests.unit.infra.local.documents.former_files import ROWS, all_in_one, with_json

NAMES = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE INDEX \"% by %' AND tbl_name"
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'docs%'"
DESCRIBED = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
FORMER_FILES = (with_json, all_in_one)
LATER = Index("sagas", (), "owner.since")
BODY = {"state": "waiting", "due_at": "2026-05-01", "owner": {"since": 7, "name": "x" * 90}}


def plain(tenant, id_, body=BODY, *, db="main", version=77, expires_at=None):
    """Return a row as the release before wrote it."""
    text = orjson.dumps(body).decode()
    head = f"{db}/{tenant}/sagas/{id_}@{version}~{'' if expires_at is None else expires_at}"
    return (db, tenant, "sagas", id_, text, version, expires_at, checksum(head + text))


def put(rows):
    """Make the file one of the release before, with indexes of the same names over the plain rows."""

    def operation(connection):
        names = connection.execute(f"{NAMES} LIKE 'docs%'").fetchall()
        for (name,) in names:
            connection.execute(f'DROP INDEX "{name}"')
            connection.execute(f"CREATE INDEX \"{name}\" ON documents (json_extract(body, '$.due_at'))")
        connection.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    return operation


def everything(setting):
    """Return every row, but for what says how it lies: its checksum, and what indexes read of it."""
    return [row[:4] + row[5:] for row in setting.engine.read(f"{ROWS} ORDER BY db, tenant, collection, id")]


async def some_of_each(setting):
    """Have documents with an index and without one, of two tenants and in both databases."""
    for store in (setting.store, setting.sealed):
        for tenant in (ALPHA, BETA):
            made = [Create(Ref("sagas", f"s{number}"), BODY) for number in range(3)]
            expiring = Create(ROOM, {"floor": 2}, setting.clock.now() + timedelta(minutes=1))
            await store.tenant(tenant).commit([*made, expiring])


def count(setting, table):
    return setting.engine.read(f"SELECT count(*) FROM {table}")[0][0]


async def waiting(store, tenant):
    return [each.ref.id for each in await store.tenant(tenant).query(DUE, {"state": "waiting"})]


async def prepared(setting, *indexes, database="main"):
    store = SqliteDocuments(setting.engine, setting.clock, indexes, database)
    await store.prepare()
    return store


async def test_documents_of_the_release_before_are_taken_in_as_they_were(setting, monkeypatch):
    monkeypatch.setattr(former, "AT_ONCE", 2)
    rows = [plain(tenant, f"s{number}") for tenant in (ALPHA, BETA) for number in range(3)]
    await setting.engine.write(
        lambda connection: connection.execute('DROP INDEX "main of sagas() by due_at"')
    )
    await setting.engine.write(put([*rows, plain(ALPHA, "s0", db="sealed")]))
    store = await prepared(setting, DUE)
    assert (count(setting, "documents"), count(setting, "packed")) == (1, 6)
    found = await store.tenant(ALPHA).get(Ref("sagas", "s1"))
    assert (found.data, found.version) == (BODY, "77")
    assert [each.ref.id for each in await store.tenant(BETA).query(DUE, {"state": "waiting"})] == [
        "s0",
        "s1",
        "s2",
    ]
    (version,) = await store.tenant(ALPHA).commit([Update(found.ref, {"state": "done"}, found.version)])
    await store.tenant(ALPHA).commit([Delete(found.ref, version)])
    sealed = await prepared(setting, database="sealed")
    assert (await sealed.tenant(ALPHA).get(Ref("sagas", "s0"))).data == BODY
    assert count(setting, "documents") == 0


async def test_what_was_to_expire_still_does(setting):
    soon = int(setting.clock.now().timestamp() * 1e6) + 60_000_000
    await setting.engine.write(
        lambda connection: connection.execute('DROP INDEX "main of sagas() by due_at"')
    )
    await setting.engine.write(put([plain(ALPHA, "s0", expires_at=soon)]))
    store = await prepared(setting, DUE)
    assert await store.tenant(ALPHA).get(Ref("sagas", "s0")) is not None
    setting.clock.advance(minutes=2)
    assert await store.tenant(ALPHA).get(Ref("sagas", "s0")) is None
    assert await store.purge() == 1


@pytest.mark.parametrize("dies_after", range(4))
async def test_a_fleet_that_dies_while_it_takes_them_in_goes_on_where_it_was(
    setting, monkeypatch, dies_after
):
    monkeypatch.setattr(former, "AT_ONCE", 1)
    await setting.engine.write(
        lambda connection: connection.execute('DROP INDEX "main of sagas() by due_at"')
    )
    await setting.engine.write(put([plain(ALPHA, f"s{number}") for number in range(3)]))
    take_in, left = former.take_in, itertools.count(dies_after, -1)

    def mortal(*arguments):
        if next(left) <= 0:
            raise ConnectionAbortedError
        return take_in(*arguments)

    with monkeypatch.context() as life:
        life.setattr(former, "take_in", mortal)
        with pytest.raises(ConnectionAbortedError):
            await prepared(setting, DUE)
    assert count(setting, "documents") + count(setting, "packed") == 3
    store = await prepared(setting, DUE)
    assert len(await store.tenant(ALPHA).query(DUE, {"state": "waiting"})) == 3


async def test_a_new_index_reads_documents_that_were_there_before(setting):
    await setting.alpha.commit([Create(Ref("sagas", name), BODY) for name in "ab"])
    await setting.alpha.commit([Create(ROOM, {"owner": {"since": 1}})])
    store = await prepared(setting, DUE, LATER)
    assert [each.ref.id for each in await store.tenant(ALPHA).query(LATER, {}, until=7)] == ["a", "b"]
    assert await waiting(store, ALPHA) == ["a", "b"]
    assert setting.engine.read("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("former_file", FORMER_FILES)
async def test_what_lay_otherwise_lies_with_its_collection_after_the_next_start(setting, former_file):
    await some_of_each(setting)
    before = everything(setting)
    await setting.engine.write(former_file)
    await setting.reopen()
    assert everything(setting) == before
    assert [count(setting, table) for table in ("docs_main", "docs_main_sagas", "docs_sealed")] == [2, 6, 2]
    assert await waiting(setting.store, BETA) == await waiting(setting.sealed, ALPHA) == ["s0", "s1", "s2"]
    found = await setting.alpha.get(Ref("sagas", "s1"))
    await setting.alpha.commit([Update(found.ref, {"state": "done"}, found.version)])
    assert await waiting(setting.store, ALPHA) == ["s0", "s2"]
    setting.clock.advance(minutes=2)
    assert await setting.store.purge() == 2
    assert setting.engine.read("PRAGMA integrity_check") == [("ok",)]
    assert setting.engine.read("SELECT name FROM sqlite_master WHERE name LIKE 'former %'") == []


@pytest.mark.parametrize("former_file", FORMER_FILES)
@pytest.mark.parametrize("dies_after", range(5))
async def test_a_fleet_that_dies_while_it_files_them_has_them_all_as_they_lay(
    setting, monkeypatch, former_file, dies_after
):
    await some_of_each(setting)
    before = everything(setting)
    await setting.engine.write(former_file)
    tables = setting.engine.read(DESCRIBED)
    put, left = former._put, itertools.count(dies_after, -1)

    def mortal(*arguments):
        if next(left) <= 0:
            raise ConnectionAbortedError
        put(*arguments)

    with monkeypatch.context() as life:
        life.setattr(former, "_put", mortal)
        with pytest.raises(ConnectionAbortedError):
            await prepared(setting, DUE, LATER)
    assert setting.engine.read(DESCRIBED) == tables
    await setting.reopen()
    assert everything(setting) == before
    assert await waiting(setting.store, ALPHA) == ["s0", "s1", "s2"]


@pytest.mark.parametrize("former_file", [None, *FORMER_FILES])
async def test_what_was_damaged_meanwhile_is_not_filed_as_if_it_were_sound(setting, former_file):
    await some_of_each(setting)
    if former_file is not None:
        await setting.engine.write(former_file)
    table, writer = (
        "packed" if former_file is all_in_one else "docs_main_sagas",
        setting.engine._database.writer,
    )
    writer.execute("PRAGMA ignore_check_constraints=ON")
    writer.execute(f"UPDATE {table} SET version = 5 WHERE id = 's1'")
    writer.execute("PRAGMA ignore_check_constraints=OFF")
    with pytest.raises(Damaged, match=f"{table} is damaged: CHECK"):
        await prepared(setting, DUE, LATER)


async def test_what_the_release_before_read_as_nothing_is_read_as_what_it_is(setting):
    states = {"n": 1, "t": True, "s": "1", "z": None}
    for name, state in states.items():
        await setting.alpha.commit([Create(Ref("sagas", name), {"state": state, "due_at": 0.1})])
    await setting.engine.write(with_json)
    await setting.reopen()
    for name, state in states.items():
        (found,) = await setting.alpha.query(DUE, {"state": state}, until=1)
        assert (found.ref.id, found.data) == (name, {"state": state, "due_at": 0.1})


async def test_a_release_before_refuses_what_it_would_find_no_documents_in(setting):
    with pytest.raises(sqlite3.OperationalError, match="views may not be indexed"):
        await setting.engine.write(
            lambda connection: connection.execute(
                "CREATE INDEX IF NOT EXISTS packed_expiry ON packed (db, expires_at)"
            )
        )


async def test_a_collection_has_a_table_of_its_own_for_as_long_as_an_index_reads_it(setting):
    await some_of_each(setting)
    before = everything(setting)
    await prepared(setting)
    assert setting.engine.read(TABLES) == [("docs_main",), ("docs_sealed",), ("docs_sealed_sagas",)]
    assert everything(setting) == before
    store = await prepared(setting, DUE)
    assert everything(setting) == before
    assert (await store.tenant(ALPHA).get(ROOM)).data == {"floor": 2}
    assert [each.ref.id for each in await store.tenant(BETA).query(DUE, {"state": "waiting"})] == [
        "s0",
        "s1",
        "s2",
    ]
    await setting.reopen()
    assert everything(setting) == before


@pytest.mark.parametrize("former_file", [None, *FORMER_FILES])
async def test_a_salvage_finds_every_document_of_this_release_and_of_those_before(setting, former_file):
    await some_of_each(setting)
    before = everything(setting)
    if former_file is not None:
        await setting.engine.write(former_file)
    await setting.close()
    own = [statement for name in ("main", "sealed") for statement in schema(name, INDEXES)]
    salvage(setting.folder / "fleet.db", (*SCHEMA, *own))
    await setting.open()
    assert everything(setting) == before
    assert setting.engine.read("SELECT type FROM sqlite_master WHERE name = 'packed'") == [("view",)]
    assert await waiting(setting.store, BETA) == ["s0", "s1", "s2"]


def killed_while_filing(folder, dies_after):
    """Have a process open a file of a release before, and kill it once some documents are filed."""
    child = Path(__file__).with_name("filing_child.py")
    command = [sys.executable, "-m", f"{__package__}.{child.stem}", str(folder), str(dies_after)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


@pytest.mark.parametrize("former_file", FORMER_FILES)
@pytest.mark.parametrize("dies_after", [0, 7, 8, 13])
async def test_a_file_is_whole_and_filed_after_a_kill_in_either_database(tmp_path, former_file, dies_after):
    async with Setting(tmp_path, sqlite_documents, threaded=False) as setting:
        await some_of_each(setting)
        before = everything(setting)
        await setting.engine.write(former_file)
    killed_while_filing(tmp_path, dies_after)
    killed_while_filing(tmp_path, dies_after % 8)
    with connected_to_check(tmp_path / "fleet.db") as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    async with Setting(tmp_path, sqlite_documents, threaded=False) as setting:
        assert everything(setting) == before
        assert (
            await waiting(setting.store, ALPHA) == await waiting(setting.sealed, BETA) == ["s0", "s1", "s2"]
        )


async def test_what_is_filed_says_so_to_a_release_that_does_not_know_it(setting, monkeypatch):
    await prepared(setting, DUE)
    assert not is_of_newer_release(setting.engine._database.reader)
    monkeypatch.setattr(connection_module, "LAYOUT", connection_module.LAYOUT - 1)
    assert is_of_newer_release(setting.engine._database.reader)
