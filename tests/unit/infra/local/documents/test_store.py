"""What the SQLite store does beyond its port: purging, counting, and rows that carry their checksum."""

import sqlite3
from datetime import timedelta

import pytest

from infra.local.counters import Counters
from infra.local.documents import store as store_module
from infra.local.documents.keys import key_of
from infra.local.documents.writes import MOST_IN_A_STATEMENT
from shared.ports.documents import AlreadyExists, Create, Delete, Ref, StaleVersion
from tests.contract.documents.setting import ALPHA, DUE, ROOM


async def expiring(setting, store, count, *, minutes):
    """Create documents that expire after some minutes."""
    expires_at = setting.clock.now() + timedelta(minutes=minutes)
    refs = [Ref("claims", f"{minutes}-{number}") for number in range(count)]
    await store.tenant(ALPHA).commit([Create(ref, {}, expires_at) for ref in refs])


def rows(setting):
    """Return how many rows there are, expired or not."""
    return setting.engine.read("SELECT count(*) FROM packed")[0][0]


async def test_a_purge_removes_the_expired_and_nothing_else(setting):
    await expiring(setting, setting.store, 3, minutes=1)
    await expiring(setting, setting.store, 2, minutes=5)
    await setting.create(ROOM, {})
    setting.clock.advance(minutes=1)
    assert await setting.store.purge() == 3
    assert rows(setting) == 3
    assert await setting.store.purge() == 0


async def test_a_purge_goes_batch_by_batch_to_the_end(setting, monkeypatch):
    monkeypatch.setattr(store_module, "PURGE_BATCH", 4)
    await expiring(setting, setting.store, 11, minutes=1)
    setting.clock.advance(minutes=1)
    before = Counters(setting.engine.counters)
    assert await setting.store.purge() == 11
    assert setting.engine.counters.since(before)["commits"] == 3
    assert rows(setting) == 0


async def test_each_database_purges_its_own(setting):
    await expiring(setting, setting.sealed, 2, minutes=1)
    setting.clock.advance(minutes=1)
    assert await setting.store.purge() == 0
    assert await setting.sealed.purge() == 2


async def test_reads_and_writes_are_counted_as_they_would_be_billed(setting):
    before = Counters(setting.engine.counters)
    (version, _) = await setting.alpha.commit([Create(ROOM, {}), Create(Ref("rooms", "205"), {})])
    await setting.alpha.get(ROOM)
    await setting.alpha.get(Ref("rooms", "none"))
    await setting.alpha.query(DUE, {"state": "waiting"})
    await setting.alpha.commit([Delete(ROOM, version)])
    spent = setting.engine.counters.since(before)
    assert (spent["document_writes"], spent["document_reads"]) == (3, 3)


async def test_a_refused_commit_is_not_counted(setting):
    before = Counters(setting.engine.counters)
    with pytest.raises(StaleVersion):
        await setting.delete(ROOM, "1")
    assert setting.engine.counters.since(before) == {}


async def refused(setting, statement, value):
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        await setting.engine.write(lambda connection: connection.execute(statement, (value,)).rowcount)


@pytest.mark.parametrize("ref", [ROOM, Ref("sagas", "204")])
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("body", '{"floor":3}'),
        ("version", 77),
        ("expires_at", 5),
        ("tenant", "tnt_beta"),
        ("id", "keys/204"),
        ("id", "rooms/205"),
    ],
)
async def test_no_part_of_a_row_can_change_without_its_checksum(setting, ref, column, value):
    await setting.create(ref, {"floor": 2})
    table = "docs_main" if ref is ROOM else "docs_main_sagas"
    await refused(setting, f"UPDATE {table} SET {column} = ?", value)


@pytest.mark.parametrize("kept", ["waiting", 1, True, None, 0.5])
@pytest.mark.parametrize("value", ["waited", "1", 1, 1.0, b"\x01", b"\x02", None])
async def test_nothing_that_indexes_read_can_change_without_its_checksum(setting, kept, value):
    await setting.create(Ref("sagas", "204"), {"state": kept})
    if type(key_of(kept)) is not type(value) or key_of(kept) != value:
        await refused(setting, 'UPDATE docs_main_sagas SET "data.state" = ?', value)


@pytest.mark.parametrize("elsewhere", ["docs_sealed", "docs_main_sagas"])
async def test_no_row_can_be_put_elsewhere_without_its_checksum(setting, elsewhere):
    await setting.create(ROOM, {"floor": 2})
    columns = "tenant, id, body, version, expires_at, crc"
    put = f"INSERT INTO {elsewhere} ({columns}) SELECT {columns} FROM docs_main WHERE tenant = ?"
    await refused(setting, put, ALPHA)


async def test_of_many_that_are_created_at_once_the_one_that_is_there_is_named_and_none_is_kept(setting):
    many = [Ref("rooms", f"{number}") for number in range(MOST_IN_A_STATEMENT + 9)]
    there, *others = (many[index] for index in (MOST_IN_A_STATEMENT + 3, 0, MOST_IN_A_STATEMENT + 5))
    await setting.create(there, {"floor": 1})
    with pytest.raises(AlreadyExists) as refused:
        await setting.alpha.commit([Create(ref, {}) for ref in many])
    assert refused.value.ref == there
    assert [await setting.alpha.get(ref) for ref in others] == [None, None]
    assert (await setting.alpha.get(there)).data == {"floor": 1}
    await setting.alpha.commit([Create(ref, {}) for ref in many if ref != there])
    assert rows(setting) == len(many)
