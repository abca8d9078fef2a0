"""A file of the release before is taken in whole, wherever the fleet dies; new indexes read old documents."""

import itertools
import sqlite3
from datetime import timedelta

import orjson
import pytest

from infra.local.documents import SCHEMA, former, schema
from infra.local.documents.store import SqliteDocuments
from infra.local.storage.connection import checksum, keep_schema
from infra.local.storage.salvage import salvage
from shared.ports.documents import Create, Delete, Index, Ref, Update
from tests.contract.documents.setting import ALPHA, BETA, DUE, INDEXES, ROOM

NAMES = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE INDEX \"% by %' AND tbl_name"
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'docs%'"
ALL_IN_ONE = """CREATE TABLE packed (
    db TEXT NOT NULL, tenant TEXT NOT NULL, collection TEXT NOT NULL, id TEXT NOT NULL, keys TEXT,
    body NOT NULL, version INTEGER NOT NULL, expires_at INTEGER, crc INTEGER NOT NULL,
    PRIMARY KEY (db, tenant, collection, id), CHECK (crc = checksum(db || '/' || tenant || '/' || collection
    || '/' || id || '@' || version || '~' || ifnull(expires_at, '') || ifnull(keys, ''), body)))"""
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


def all_in_one(connection):
    """Make the file one of the release before, where all collections lay in one table."""
    rows = connection.execute("SELECT * FROM packed").fetchall()
    names = connection.execute(f"{NAMES} LIKE 'docs%'").fetchall()
    connection.execute("DROP VIEW packed")
    for (name,) in connection.execute(TABLES).fetchall():
        connection.execute(f'DROP TABLE "{name}"')
    connection.execute(ALL_IN_ONE)
    connection.executemany("INSERT INTO packed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    for (name,) in names:
        connection.execute(f'CREATE INDEX "{name}" ON packed (keys -> \'$."due_at"\')')
    keep_schema(connection)
    return sorted(rows)


def everything(setting):
    return sorted(setting.engine.read("SELECT * FROM packed"))


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


async def test_what_lay_in_one_table_lies_with_its_collection_after_the_next_start(setting):
    await some_of_each(setting)
    before = await setting.engine.write(all_in_one)
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


@pytest.mark.parametrize("dies_at", ["spread", "copy_keys"])
async def test_a_fleet_that_dies_while_it_sorts_them_has_them_all_in_the_one_table(
    setting, monkeypatch, dies_at
):
    await some_of_each(setting)
    before = await setting.engine.write(all_in_one)
    work = getattr(former, dies_at)

    def mortal(*arguments):
        work(*arguments)
        raise ConnectionAbortedError

    with monkeypatch.context() as life:
        life.setattr(former, dies_at, mortal)
        with pytest.raises(ConnectionAbortedError):
            await prepared(setting, DUE, LATER)
    assert setting.engine.read("SELECT type FROM sqlite_master WHERE name = 'packed'") == [("table",)]
    assert everything(setting) == before
    await setting.reopen()
    assert everything(setting) == before
    assert await waiting(setting.store, ALPHA) == ["s0", "s1", "s2"]


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


@pytest.mark.parametrize("older", [False, True])
async def test_a_salvage_finds_every_document_of_this_release_and_of_the_one_before(setting, older):
    await some_of_each(setting)
    before = everything(setting)
    if older:
        await setting.engine.write(all_in_one)
    await setting.close()
    own = [statement for name in ("main", "sealed") for statement in schema(name, INDEXES)]
    salvage(setting.folder / "fleet.db", (*SCHEMA, *own))
    await setting.open()
    assert everything(setting) == before
    assert setting.engine.read("SELECT type FROM sqlite_master WHERE name = 'packed'") == [("view",)]
    assert await waiting(setting.store, BETA) == ["s0", "s1", "s2"]
