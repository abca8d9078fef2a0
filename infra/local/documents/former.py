"""Documents as they were kept before: taken in row by row, so that an older file is read by this release.

Until one release has passed, a file may hold plain rows. Each start moves what there is, a batch to a commit:
a crash in between leaves every document in one of the two tables, and in no more than one.
"""

import sqlite3
from collections.abc import Mapping
from typing import Final

import orjson

from infra.local.documents.keys import Fields, keys_of
from infra.local.documents.writes import Place, checksum_of
from infra.local.storage.packing import pack, unpack

SCHEMA: Final = (
    """CREATE TABLE IF NOT EXISTS documents (
        db TEXT NOT NULL, tenant TEXT NOT NULL, collection TEXT NOT NULL, id TEXT NOT NULL,
        body TEXT NOT NULL, version INTEGER NOT NULL, expires_at INTEGER, crc INTEGER NOT NULL,
        PRIMARY KEY (db, tenant, collection, id), CHECK (crc = checksum(db || '/' || tenant || '/'
        || collection || '/' || id || '@' || version || '~' || ifnull(expires_at, '') || body)))""",
    "CREATE INDEX IF NOT EXISTS documents_expiry ON documents (db, expires_at) WHERE expires_at IS NOT NULL",
)
AT_ONCE: Final = 500
_PLAIN: Final = (
    "SELECT db, tenant, collection, id, body, version, expires_at FROM documents WHERE db = ? LIMIT ?"
)
_DECLARED: Final = (
    "SELECT name FROM sqlite_master WHERE tbl_name = 'documents' AND sql LIKE 'CREATE INDEX \"%'"
)
_KEEP: Final = "INSERT INTO packed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_LET_GO: Final = "DELETE FROM documents WHERE db = ? AND tenant = ? AND collection = ? AND id = ?"
_OF: Final = "SELECT tenant, id, keys, body, version, expires_at FROM packed WHERE db = ? AND collection = ?"
_COPY: Final = "UPDATE packed SET keys = ?, crc = ? WHERE db = ? AND tenant = ? AND collection = ? AND id = ?"


def drop_indexes(connection: sqlite3.Connection) -> None:
    """Drop the declared indexes over plain rows: those over packed ones bear their names."""
    for (name,) in connection.execute(_DECLARED).fetchall():
        connection.execute(f'DROP INDEX "{name}"')


def take_in(database: str, fields: Mapping[str, Fields], connection: sqlite3.Connection) -> int:
    """Move some plain rows of a database to where packed ones are kept; return how many."""
    rows = connection.execute(_PLAIN, (database, AT_ONCE)).fetchall()
    for *place, body, version, expires_at in rows:
        at: Place = (place[0], place[1], place[2], place[3])
        keys = keys_of(orjson.loads(body), fields.get(at[2], ()))
        kept = pack(body.encode())
        crc = checksum_of(at, version, expires_at, keys, kept)
        connection.execute(_KEEP, (*at, keys, kept, version, expires_at, crc))
        connection.execute(_LET_GO, at)
    return len(rows)


def copy_keys(
    connection: sqlite3.Connection, database: str, collection: str, fields: Mapping[str, Fields]
) -> None:
    """Copy out of a collection's documents what its indexes read by now."""
    for tenant, id_, keys, body, version, expires_at in connection.execute(
        _OF, (database, collection)
    ).fetchall():
        known = keys_of(orjson.loads(unpack(body)), fields.get(collection, ()))
        if known != keys:
            at = (database, tenant, collection, id_)
            connection.execute(_COPY, (known, checksum_of(at, version, expires_at, known, body), *at))
