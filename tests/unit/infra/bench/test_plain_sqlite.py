"""The raw limit is SQLite as shipped, and as durable as what it is compared with."""

from contextlib import closing

from infra.bench.plain_sqlite import plain_sqlite
from infra.local.storage.connection import connect


def read(folder, query):
    with closing(connect(folder / "raw.db")) as connection:
        return connection.execute(query).fetchall()


def test_what_is_kept_is_there_afterwards(tmp_path):
    with plain_sqlite(tmp_path / "raw.db") as database:
        database.keep(["a", "b"])
        database.commit("UPDATE rows SET body = 'c' WHERE id = ?", [(2,)])
    assert read(tmp_path, "SELECT id, body FROM rows ORDER BY id") == [(1, "a"), (2, "c")]


def test_a_rate_is_of_rows_and_not_of_commits(tmp_path):
    with plain_sqlite(tmp_path / "raw.db") as database:
        rate = database.rows_per_second("x", 50, 0.02)
    ((kept,),) = read(tmp_path, "SELECT count(*) FROM rows")
    assert kept % 50 == 0
    assert 50 <= rate <= kept / 0.02


def test_commits_are_on_the_disk_as_the_fleets_are(tmp_path):
    with plain_sqlite(tmp_path / "raw.db") as database:
        asked = {
            name: database.setting(name) for name in ("journal_mode", "synchronous", "wal_autocheckpoint")
        }
    assert asked == {"journal_mode": "wal", "synchronous": 2, "wal_autocheckpoint": 1000}
