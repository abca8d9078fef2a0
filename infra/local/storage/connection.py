"""Connections to the one SQLite file: how it is opened, and the checksum its tables carry."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import NoneType
from typing import Any

import orjson

from infra.local.storage.packing import unpacked

META = (
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value NOT NULL, crc INTEGER NOT NULL, "
    "CHECK (crc = checksum(name || value))) WITHOUT ROWID"
)
_KEEP = """INSERT INTO meta VALUES (?1, ?2, checksum(?1 || ?2)) ON CONFLICT (name)
DO UPDATE SET value = excluded.value, crc = excluded.crc WHERE value <> excluded.value"""
_LAYOUT = "SELECT value FROM meta WHERE name = 'layout' AND crc = checksum(name || value)"
_TABLES = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
BUSY_SECONDS = 5.0
WRITER_BUSY_SECONDS = 0.25
"""The event loop waits no longer for another program to let go of the database: callers try again."""
APPLICATION_ID = 0x6B666C74
LAYOUT = 1
"""One more with each release whose tables the one before cannot read: it refuses them by this, unharmed."""


def _as_it_is(value: Any) -> Any:
    return value


for _kind in (bytes, NoneType):
    # For each of them that is bound, Python would ask the value and its type for an adapter, at the price of
    # an exception: five for each document that is written.
    sqlite3.register_adapter(_kind, _as_it_is)


def checksum(value: str | bytes | None) -> int:
    """Checksum a stored payload; the schema's CHECK constraints and the start-up scan call it."""
    if value is None:
        return 0
    return zlib.crc32(value.encode() if isinstance(value, str) else value)


def checksum_of_both(head: str, body: str | bytes) -> int:
    """Checksum what stands before a payload, and the payload."""
    return zlib.crc32(body.encode() if isinstance(body, str) else body, zlib.crc32(head.encode()))


def checksum_of_row(payload: str | bytes, *values: str | bytes | float | None) -> int:
    """Checksum a whole row: of all but its payload, JSON tells where each value ends, and its kind."""
    head = zlib.crc32(orjson.dumps(values, default=list))
    return zlib.crc32(payload.encode() if isinstance(payload, str) else payload, head)


def connect(path: Path) -> sqlite3.Connection:
    """Open for reading and writing: write-ahead log, each commit on the disk before it returns."""
    connection = sqlite3.connect(
        path, WRITER_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=512
    )
    _teach(connection)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("PRAGMA journal_size_limit=67108864")
    connection.execute("PRAGMA cache_size=-8192")
    # Zeroes also the pages that are freed; FAST leaves in them what was longer than a page.
    connection.execute("PRAGMA secure_delete=ON")
    return connection


def connect_to_look(path: Path) -> sqlite3.Connection:
    """Open without the power to change anything: not even closing it folds the log into the file."""
    return _connect_in("ro", path)


@contextmanager
def connected_to_check(path: Path) -> Iterator[sqlite3.Connection]:
    """Open so that PRAGMA integrity_check looks at the checksums too, and still change nothing."""
    # On a read-only connection SQLite leaves CHECK constraints out. One that may write would fold the log in
    # when it is closed, unless another still has the file: the first of these two.
    with closing(connect_to_look(path)) as witness, closing(_connect_in("rw", path)) as connection:
        witness.execute("SELECT count(*) FROM sqlite_master").fetchall()
        connection.execute("PRAGMA query_only=ON")
        yield connection


def _connect_in(mode: str, path: Path) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, BUSY_SECONDS, uri=True, isolation_level=None)
    _teach(connection)
    connection.text_factory = _readable
    return connection


def _teach(connection: sqlite3.Connection) -> None:
    connection.create_function("checksum", 1, checksum, deterministic=True)
    connection.create_function("checksum", 2, checksum_of_both, deterministic=True)
    connection.create_function("checksum_of_row", -1, checksum_of_row, deterministic=True)
    connection.create_function("unpacked", 1, unpacked, deterministic=True)


def _readable(raw: bytes) -> str:
    # Damaged text must not stop a scan: its checksum will tell.
    return raw.decode(errors="replace")


def create_tables(connection: sqlite3.Connection, schema: tuple[str, ...]) -> None:
    """Create what is missing, all or nothing."""
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute("BEGIN IMMEDIATE")
    for statement in (META, *schema):
        connection.execute(statement)
    keep_schema(connection)
    connection.execute("COMMIT")


def keep_schema(connection: sqlite3.Connection) -> None:
    """Write down how the tables are described by now, as `keeps_schema` compares it."""
    connection.execute(_KEEP, ("schema", _sum_of_schema(connection)))


def keep_layout(connection: sqlite3.Connection) -> None:
    """Write down how its tables are laid out by now, for a release that may know them no more."""
    connection.execute(_KEEP, ("layout", LAYOUT))


def is_of_newer_release(connection: sqlite3.Connection) -> bool:
    """Say whether a release wrote the file whose tables this one does not know."""
    found = connection.execute(_LAYOUT).fetchone() if _values(connection) else None
    return found is not None and found[0] > LAYOUT


def keeps_schema(connection: sqlite3.Connection) -> bool:
    """Whether the tables are still described as they were created, which no integrity check looks at."""
    kept = _values(connection).get("schema")
    return kept is None or kept == _sum_of_schema(connection)


def read_meta(connection: sqlite3.Connection) -> tuple[bytes, int] | None:
    """Return (database id, commit number), or None if nothing was ever committed."""
    found = _values(connection)
    return (bytes.fromhex(found["id"]), found["commit"]) if {"id", "commit"} <= found.keys() else None


def _values(connection: sqlite3.Connection) -> dict[str, Any]:
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchall():
        return {}
    return dict(connection.execute("SELECT name, value FROM meta").fetchall())


def _sum_of_schema(connection: sqlite3.Connection) -> int:
    return checksum("\n".join("\n".join(row) for row in sorted(connection.execute(_TABLES).fetchall())))


def write_meta(connection: sqlite3.Connection, identity: bytes, commit: int) -> None:
    """Begin a database's own record of who it is and how far it reaches."""
    name = identity.hex()
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES ('id', ?, ?), ('commit', ?, ?)",
        (name, checksum("id" + name), commit, checksum(f"commit{commit}")),
    )


def keep_number(connection: sqlite3.Connection, commit: int) -> None:
    """Write down which commit this is; all pages but this table's one are written for their own sake."""
    connection.execute(
        "UPDATE meta SET value = ?, crc = ? WHERE name = 'commit'", (commit, checksum(f"commit{commit}"))
    )
