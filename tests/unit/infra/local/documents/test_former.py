"""A file of the release before is taken in whole, wherever the fleet dies; new indexes read old documents."""

import itertools

import orjson
import pytest

from infra.local.documents import former
from infra.local.documents.store import SqliteDocuments
from infra.local.storage.connection import checksum
from shared.ports.documents import Create, Delete, Index, Ref, Update
from tests.contract.documents.setting import ALPHA, BETA, DUE, ROOM

NAMES = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE INDEX \"%' AND tbl_name"
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
        names = connection.execute(f"{NAMES} = 'packed'").fetchall()
        for (name,) in names:
            connection.execute(f'DROP INDEX "{name}"')
            connection.execute(f"CREATE INDEX \"{name}\" ON documents (json_extract(body, '$.due_at'))")
        connection.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    return operation


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
