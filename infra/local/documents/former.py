"""Documents as they were kept before: taken in, so that an older file is read by this release.

Until one release has passed, a file may hold all collections in one table, and in another plain rows. The
first start brings the one to where documents lie by now, in one commit; each start moves plain rows there, a
batch to a commit. A crash in between leaves every document in one of the tables, and in no more than one.
"""

import sqlite3
from typing import Final

import orjson

from infra.local.documents.drawers import COLUMNS, Chest, Drawer, drawers_in
from infra.local.documents.keys import keys_of
from infra.local.documents.writes import checksum_of
from infra.local.storage.packing import pack, unpack
from shared.ports.documents import Ref

SCHEMA: Final = (
    """CREATE TABLE IF NOT EXISTS documents (
        db TEXT NOT NULL, tenant TEXT NOT NULL, collection TEXT NOT NULL, id TEXT NOT NULL,
        body TEXT NOT NULL, version INTEGER NOT NULL, expires_at INTEGER, crc INTEGER NOT NULL,
        PRIMARY KEY (db, tenant, collection, id), CHECK (crc = checksum(db || '/' || tenant || '/'
        || collection || '/' || id || '@' || version || '~' || ifnull(expires_at, '') || body)))""",
    "CREATE INDEX IF NOT EXISTS documents_expiry ON documents (db, expires_at) WHERE expires_at IS NOT NULL",
    # In a file of this release a view has the name. So a release before refuses the file, for it cannot
    # create its indexes there, where it would otherwise find no documents.
    """CREATE TABLE IF NOT EXISTS packed (
        db TEXT NOT NULL, tenant TEXT NOT NULL, collection TEXT NOT NULL, id TEXT NOT NULL, keys TEXT,
        body NOT NULL, version INTEGER NOT NULL, expires_at INTEGER, crc INTEGER NOT NULL,
        PRIMARY KEY (db, tenant, collection, id))""",
)
AT_ONCE: Final = 500
_PLAIN: Final = (
    "SELECT db, tenant, collection, id, body, version, expires_at FROM documents WHERE db = ? LIMIT ?"
)
_DECLARED: Final = (
    "SELECT name FROM sqlite_master WHERE tbl_name = 'documents' AND sql LIKE 'CREATE INDEX \"%'"
)
_ALL_IN_ONE: Final = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'packed'"
_LET_GO: Final = "DELETE FROM documents WHERE db = ? AND tenant = ? AND collection = ? AND id = ?"


def drop_indexes(connection: sqlite3.Connection) -> None:
    """Drop the declared indexes over plain rows: those over packed ones bear their names."""
    for (name,) in connection.execute(_DECLARED).fetchall():
        connection.execute(f'DROP INDEX "{name}"')


def spread(connection: sqlite3.Connection) -> None:
    """Bring what lay in one table for all collections to where each lies by now."""
    if connection.execute(_ALL_IN_ONE).fetchone() is None:
        return
    some = connection.execute("SELECT 1 FROM packed LIMIT 1").fetchone()
    drawers = drawers_in(connection) if some else []
    own = {(drawer.database, drawer.collection) for drawer in drawers}
    for drawer in drawers:
        taken = sorted(collection for database, collection in own if database == drawer.database)
        among = "= ?" if drawer.collection else f"NOT IN ({', '.join('?' * len(taken))})"
        which = [drawer.collection] if drawer.collection else taken
        id_ = "id" if drawer.collection else "collection || '/' || id"
        connection.execute(
            f"INSERT INTO {drawer.quoted} SELECT tenant, {id_}, {COLUMNS} FROM packed "  # noqa: S608 - our names
            f"WHERE db = ? AND collection {among}",
            (drawer.database, *which),
        )
    connection.execute("DROP TABLE packed")


def take_in(chest: Chest, connection: sqlite3.Connection) -> int:
    """Move some plain rows of a database to where they lie by now; return how many."""
    rows = connection.execute(_PLAIN, (chest.database, AT_ONCE)).fetchall()
    for database, tenant, collection, id_, body, version, expires_at in rows:
        drawer, place = chest.of(collection), (database, tenant, collection, id_)
        keys, kept = keys_of(orjson.loads(body), drawer.fields), pack(body.encode())
        crc = checksum_of(place, version, expires_at, keys, kept)
        at = (tenant, drawer.id_of(Ref(collection, id_)))
        connection.execute(drawer.insert(1), (*at, keys, kept, version, expires_at, crc, 0))
        connection.execute(_LET_GO, place)
    return len(rows)


def copy_keys(connection: sqlite3.Connection, drawer: Drawer) -> None:
    """Copy out of a collection's documents what its indexes read by now."""
    of_it = f"SELECT tenant, id, {COLUMNS} FROM {drawer.quoted}"  # noqa: S608 - names of ours
    copy = f"UPDATE {drawer.quoted} SET keys = ?, crc = ? WHERE tenant = ? AND id = ?"  # noqa: S608
    for tenant, id_, keys, body, version, expires_at, _ in connection.execute(of_it).fetchall():
        known = keys_of(orjson.loads(unpack(body)), drawer.fields)
        if known != keys:
            place = (drawer.database, tenant, drawer.collection, id_)
            crc = checksum_of(place, version, expires_at, known, body)
            connection.execute(copy, (known, crc, tenant, id_))
