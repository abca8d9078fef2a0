"""Where documents lie: a collection that indexes read has a table of its own, and the others share one.

SQLite opens each index of a table for every statement that writes to it, and asks each for every row whether
the row belongs in it. In one table, with the hundred indexes of all collections, that was the most of what
a key cost there. Decision 0216.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from infra.local.documents.keys import COLUMN, Fields, Key, column_of, indexed_fields, quoted
from infra.local.storage.connection import checksum_of_row
from infra.local.storage.packing import Kept
from shared.ports.documents import Index, Ref

ALIVE: Final = "(expires_at IS NULL OR expires_at > ?)"
DATABASES: Final = ("main", "sealed")
PREFIX: Final = "docs"
REMEMBERED: Final = 256
"""Of how many documents a drawer knows what indexes read: those that are being worked on."""
At = tuple[str, str]
"""Tenant, and what a row is found by."""
_COLUMNS: Final = """SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c
WHERE t.type = 'table' AND t.name LIKE 'docs\\_%' ESCAPE '\\' ORDER BY t.name, c.cid"""
_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table'"
_PACKED: Final = "SELECT type, sql FROM sqlite_master WHERE name = 'packed'"


class Drawer:
    """One table of documents: a collection's own, or that of all collections of a database that have none."""

    def __init__(self, database: str, collection: str = "", fields: Fields = ()) -> None:
        self.database, self.collection, self.fields = database, collection, fields
        self.name = name_of(database, collection)
        self.quoted = f'"{self.name}"'
        self._read = (*map(quoted, fields), "expires_at")
        self._known: dict[At, tuple[int, Sequence[Key]]] = {}
        # Left to itself, SQLite compares what is bound with the conditions of the partial indexes, and plans
        # the statement anew whenever another value is bound: ten times the work.
        by_id = f'{self.quoted} INDEXED BY "sqlite_autoindex_{self.name}_1" WHERE tenant = ? AND id = ?'
        self._at_version = f"{by_id} AND version = ? AND {ALIVE}"
        expired = f'{self.quoted} INDEXED BY "{self.name} expiry" WHERE expires_at <= ?'
        some = f"SELECT tenant, id FROM {expired} ORDER BY expires_at LIMIT ?"  # noqa: S608 - names of ours, as below
        self.get = f"SELECT body, version FROM {by_id} AND {ALIVE}"  # noqa: S608
        named = by_id.replace("id = ?", "id IN (SELECT value FROM json_each(?))", 1)
        self.get_all = f"SELECT id, body, version FROM {named} AND {ALIVE}"  # noqa: S608
        self.version = f"SELECT version FROM {by_id}"  # noqa: S608
        self.delete = f"DELETE FROM {self._at_version}"  # noqa: S608
        self.forget = f"DELETE FROM {by_id}"  # noqa: S608
        self.purge = f"DELETE FROM {self.quoted} WHERE (tenant, id) IN ({some})"  # noqa: S608
        self.insert, self.update = cache(self._insert), cache(self._update)

    def id_of(self, ref: Ref) -> str:
        """Return what a document's row is found by here: in the shared table, its collection too."""
        return str(ref.id) if self.collection else f"{ref.collection}/{ref.id}"

    def row(self, at: At, read: Sequence[Key], version: int, body: Kept) -> tuple[Key, ...]:
        """Return a row: where it is found, what indexes read, the document, and a checksum over all of it."""
        return *at, *read, version, body, self.checksum(at, read, version, body)

    def checksum(self, at: At, read: Sequence[Key], version: int, body: Kept) -> int:
        """Return the checksum of a row, which covers where it lies, too."""
        return checksum_of_row(body, self.name, *at, *read, version)

    def remember(self, at: At, version: int, read: Sequence[Key]) -> None:
        """Take note of what indexes read of a version that is kept, if another may follow."""
        if self.fields and read:
            self._known.pop(at, None)
            self._known[at] = version, read
            if len(self._known) > REMEMBERED:
                del self._known[next(iter(self._known))]

    def changed(self, at: At, version: int, read: Sequence[Key]) -> tuple[int, ...]:
        """Return which places of what indexes read change from a version: all, where nobody remembers it."""
        known, before = self._known.get(at, (None, read))
        if known != version:
            return tuple(range(len(read)))
        return tuple([place for place, value in enumerate(read) if value != before[place]])

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of its columns."""
        return "tenant", "id", *map(column_of, self.fields), "expires_at", "version", "body", "crc"

    @property
    def definitions(self) -> tuple[str, ...]:
        """Return the statements that create it; the checksum covers where a row lies, too."""
        keys = [*map(quoted, self.fields)]
        summed = ", ".join(("body", f"'{self.name}', tenant, id", *keys, "expires_at, version"))
        return (
            f"""CREATE TABLE IF NOT EXISTS {self.quoted} (tenant TEXT NOT NULL, id TEXT NOT NULL,
        {"".join(f"{key}, " for key in keys)}expires_at INTEGER, version INTEGER NOT NULL,
        body NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (tenant, id),
        CHECK (crc = checksum_of_row({summed}))) WITHOUT ROWID""",
            f"""CREATE INDEX IF NOT EXISTS "{self.name} expiry" ON {self.quoted} (expires_at)
        WHERE expires_at IS NOT NULL""",
        )

    @property
    def place(self) -> str:
        """Return what names a row's tenant, collection and id in a query of it."""
        if self.collection:
            return f"tenant, '{self.collection}' AS collection, id"
        parts = "substr(id, 1, instr(id, '/') - 1) AS collection, substr(id, instr(id, '/') + 1) AS id"
        return f"tenant, {parts}"

    @property
    def whole(self) -> str:
        """Return the query for everything in it, each row with its database and collection."""
        columns = [(field, quoted(field)) for field in self.fields]
        shown = [f"'{field}', iif(typeof({column}) = 'blob', NULL, {column})" for field, column in columns]
        keys = f"json_object({', '.join(shown)})" if shown else "NULL"
        found = f"'{self.database}' AS db, {self.place}, {keys} AS keys, body, version, expires_at, crc"
        return f"SELECT {found} FROM {self.quoted}"  # noqa: S608 - names of ours

    def _update(self, changed: tuple[int, ...]) -> str:
        """Return the statement that leaves every index alone of which nothing changed."""
        columns = (*(self._read[place] for place in changed), "version", "body", "crc")
        put = ", ".join(f"{column} = ?" for column in columns)
        return f"UPDATE {self._at_version.replace(' WHERE', f' SET {put} WHERE', 1)}"  # noqa: S608

    def _insert(self, rows: int) -> str:
        row = f"({', '.join('?' * len(self.columns))})"
        kept = (*self._read, "version", "body", "crc")
        replaced = ", ".join(f"{column} = excluded.{column}" for column in kept)
        return f"""INSERT INTO {self.quoted} VALUES {", ".join([row] * rows)}
ON CONFLICT (tenant, id) DO UPDATE SET {replaced} WHERE {self.quoted}.expires_at <= ?"""  # noqa: S608 - names of ours


def name_of(database: str, collection: str) -> str:
    """Return the name of the table in which documents of a collection lie, or those of all that have none."""
    return "_".join((PREFIX, database, *([collection] if collection else ())))


class Chest:
    """All drawers of one database."""

    def __init__(self, database: str, fields: Mapping[str, Fields]) -> None:
        self.database, self.shared = database, Drawer(database)
        self._own = {name: Drawer(database, name, read) for name, read in fields.items()}
        self.all = (self.shared, *self._own.values())

    def build(self, connection: sqlite3.Connection) -> None:
        """Create what the file has not."""
        there = {name for (name,) in connection.execute(_TABLES).fetchall()}
        for drawer in self.all:
            for statement in drawer.definitions if drawer.name not in there else ():
                connection.execute(statement)

    def of(self, collection: str) -> Drawer:
        """Return where the documents of a collection lie."""
        return self._own.get(collection, self.shared)


def schema(database: str, indexes: Iterable[Index]) -> tuple[str, ...]:
    """Return the statements that create the tables of a database that is read through these indexes."""
    chest = Chest(database, indexed_fields(indexes))
    return tuple(statement for drawer in chest.all for statement in drawer.definitions)


def drawers_in(connection: sqlite3.Connection) -> Mapping[Drawer, Fields]:
    """Return the drawers that a file has, each with the columns that it has there."""
    columns: dict[str, list[str]] = {}
    for table, column in connection.execute(_COLUMNS).fetchall():
        columns.setdefault(table, []).append(column)
    return {_drawer_in(table, found): tuple(found) for table, found in columns.items()}


def _drawer_in(table: str, columns: Sequence[str]) -> Drawer:
    _, database, *collection = table.split("_", 2)
    fields = (column.removeprefix(COLUMN) for column in columns if column.startswith(COLUMN))
    return Drawer(database, "".join(collection), tuple(fields))


def show_all(connection: sqlite3.Connection) -> None:
    """Have one view show all documents, for whoever looks into the file."""
    arms = sorted(drawer.whole for drawer in drawers_in(connection))
    wanted = f"CREATE VIEW packed AS {' UNION ALL '.join(arms)}"
    kind, shown = connection.execute(_PACKED).fetchone() or ("view", None)
    if kind == "view" and shown != wanted:
        connection.execute("DROP VIEW IF EXISTS packed")
        connection.execute(wanted)
