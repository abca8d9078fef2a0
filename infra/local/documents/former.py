"""Documents as they were kept before: taken in, so that an older file is read by this release.

Until one release has passed, a file may hold what indexes read as JSON, all collections in one table, and in
another plain rows. The first start files the documents of each database as they lie by now, in one commit;
each start moves plain rows there, a batch to a commit. A crash in between leaves every document in one of the
tables, and in no more than one. So it is, in any release, where indexes read other fields by now.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from infra.local.documents.drawers import Chest, drawers_in
from infra.local.documents.keys import keys_of
from infra.local.storage.database import Damaged
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
_PLACE: Final = "tenant, collection, id"
_CONTENT: Final = "body, version, expires_at"
_PLAIN: Final = f"SELECT {_PLACE}, {_CONTENT} FROM documents WHERE db = ? LIMIT ?"  # noqa: S608 - our names
_DECLARED: Final = (
    "SELECT name FROM sqlite_master WHERE tbl_name = 'documents' AND sql LIKE 'CREATE INDEX \"%'"
)
_PACKED: Final = "SELECT type FROM sqlite_master WHERE name = 'packed'"
_LET_GO: Final = "DELETE FROM documents WHERE db = ? AND tenant = ? AND collection = ? AND id = ?"


def drop_indexes(connection: sqlite3.Connection) -> None:
    """Drop the declared indexes over plain rows: those over packed ones bear their names."""
    for (name,) in connection.execute(_DECLARED).fetchall():
        connection.execute(f'DROP INDEX "{name}"')


def file_anew(connection: sqlite3.Connection, chest: Chest, newly_read: Iterable[str]) -> None:
    """Bring the documents of a database to where they lie by now, in columns of the fields that are read."""
    wanted = {drawer.name: drawer.columns for drawer in chest.all}
    others = [
        drawer
        for drawer, columns in drawers_in(connection).items()
        if drawer.database == chest.database and columns != wanted.get(drawer.name)
    ]
    packed = connection.execute(_PACKED).fetchone()
    if others and packed == ("view",):
        connection.execute("DROP VIEW packed")  # else no table that it shows could be given another name
    asides = [(_set_aside(connection, drawer.name), drawer.place) for drawer in others]
    chest.build(connection)
    if packed == ("table",):
        _file(connection, chest, "packed", _PLACE, f"db = '{chest.database}'")
        if connection.execute("SELECT 1 FROM packed LIMIT 1").fetchone() is None:
            connection.execute("DROP TABLE packed")
    for table, place in asides:
        _file(connection, chest, table, place)
        connection.execute(f'DROP TABLE "{table}"')
    for collection in newly_read:
        beginning = f"{collection}/"
        of_it = f"substr(id, 1, {len(beginning)}) = '{beginning}'"
        _file(connection, chest, chest.shared.name, chest.shared.place, of_it)


def take_in(chest: Chest, connection: sqlite3.Connection) -> int:
    """Move some plain rows of a database to where they lie by now; return how many."""
    rows = connection.execute(_PLAIN, (chest.database, AT_ONCE)).fetchall()
    for tenant, collection, id_, body, *rest in rows:
        _put(connection, chest, (tenant, collection, id_, pack(body.encode()), *rest))
        connection.execute(_LET_GO, (chest.database, tenant, collection, id_))
    return len(rows)


def _set_aside(connection: sqlite3.Connection, table: str) -> str:
    aside = f"former {table}"
    connection.execute(f'DROP INDEX IF EXISTS "{table} expiry"')
    connection.execute(f'ALTER TABLE "{table}" RENAME TO "{aside}"')
    return aside


def _file(connection: sqlite3.Connection, chest: Chest, table: str, place: str, which: str = "") -> None:
    """Move documents out of a table, or copy all of them; their checksums are looked at a last time."""
    some = f'FROM "{table}"{" WHERE " * bool(which)}{which}'
    if connection.execute(f"SELECT 1 {some} LIMIT 1").fetchone() is None:
        return
    if (found := connection.execute(f'PRAGMA integrity_check("{table}")').fetchone()) != ("ok",):
        raise Damaged(f"{table} is damaged: {found[0]}")
    for row in connection.execute(f"SELECT {place}, {_CONTENT} {some}"):
        _put(connection, chest, row)
    if which:
        connection.execute(f"DELETE {some}")


def _put(connection: sqlite3.Connection, chest: Chest, row: Sequence[Any]) -> None:
    tenant, collection, id_, body, version, expires_at = row
    drawer = chest.of(collection)
    read = (*keys_of(orjson.loads(unpack(body)), drawer.fields), expires_at)
    filed = drawer.row((tenant, drawer.id_of(Ref(collection, id_))), read, version, body)
    connection.execute(drawer.insert(1), (*filed, 0))
