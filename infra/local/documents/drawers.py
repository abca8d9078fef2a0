"""Where documents lie: a collection that indexes read has a table of its own, and the others share one.

SQLite opens each index of a table for every statement that writes to it, and asks each for every row whether
the row belongs in it. In one table, with the hundred indexes of all collections, that was the most of what
a key cost there. Decision 0216.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Final

from infra.local.documents.keys import Fields
from shared.ports.documents import Index, Ref

ALIVE: Final = "(expires_at IS NULL OR expires_at > ?)"
DATABASES: Final = ("main", "sealed")
PREFIX: Final = "docs"
COLUMNS: Final = "keys, body, version, expires_at, crc"
_ROW: Final = "(?, ?, ?, ?, ?, ?, ?)"
_CHECKED: Final = "'@' || version || '~' || ifnull(expires_at, '') || ifnull(keys, '')"
_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'docs\\_%' ESCAPE '\\'"
_VIEW: Final = "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = 'packed'"


class Drawer:
    """One table of documents: a collection's own, or that of all collections of a database that have none."""

    def __init__(self, database: str, collection: str = "", fields: Fields = ()) -> None:
        self.database, self.collection, self.fields = database, collection, fields
        self.name = "_".join((PREFIX, database, *([collection] if collection else ())))
        self.quoted = f'"{self.name}"'
        # Left to itself, SQLite compares what is bound with the conditions of the partial indexes, and plans
        # the statement anew whenever another value is bound: ten times the work.
        by_id = f'{self.quoted} INDEXED BY "sqlite_autoindex_{self.name}_1" WHERE tenant = ? AND id = ?'
        changed = "keys = ?, body = ?, version = ?, expires_at = ?, crc = ?"
        at_version = f"{by_id} AND version = ? AND {ALIVE}"
        expired = f'{self.quoted} INDEXED BY "{self.name} expiry" WHERE expires_at <= ?'
        some = f"SELECT rowid FROM {expired} ORDER BY expires_at LIMIT ?"  # noqa: S608 - names of ours, as below
        self.get = f"SELECT body, version FROM {by_id} AND {ALIVE}"  # noqa: S608
        named = by_id.replace("id = ?", "id IN (SELECT value FROM json_each(?))", 1)
        self.get_all = f"SELECT id, body, version FROM {named} AND {ALIVE}"  # noqa: S608
        self.version = f"SELECT version FROM {by_id}"  # noqa: S608
        self.update = f"UPDATE {at_version.replace(' WHERE', f' SET {changed} WHERE', 1)}"  # noqa: S608
        self.delete = f"DELETE FROM {at_version}"  # noqa: S608
        self.forget = f"DELETE FROM {by_id}"  # noqa: S608
        self.purge = f"DELETE FROM {self.quoted} WHERE rowid IN ({some})"  # noqa: S608
        self.insert = cache(self._insert)

    def id_of(self, ref: Ref) -> str:
        """Return what a document's row is found by here: in the shared table, its collection too."""
        return str(ref.id) if self.collection else f"{ref.collection}/{ref.id}"

    @property
    def definitions(self) -> tuple[str, ...]:
        """Return the statements that create it; the checksum covers where a row lies, as it ever did."""
        place = f"'{self.database}/' || tenant || '/{self.collection}{'/' * bool(self.collection)}' || id"
        return (
            f"""CREATE TABLE IF NOT EXISTS {self.quoted} (
        tenant TEXT NOT NULL, id TEXT NOT NULL, keys TEXT, body NOT NULL, version INTEGER NOT NULL,
        expires_at INTEGER, crc INTEGER NOT NULL, PRIMARY KEY (tenant, id),
        CHECK (crc = checksum({place} || {_CHECKED}, body)))""",
            f"""CREATE INDEX IF NOT EXISTS "{self.name} expiry" ON {self.quoted} (expires_at)
        WHERE expires_at IS NOT NULL""",
        )

    @property
    def whole(self) -> str:
        """Return the query for everything in it, each row with its database and collection."""
        collection, id_ = f"'{self.collection}'", "id"
        if not self.collection:
            collection, id_ = "substr(id, 1, instr(id, '/') - 1)", "substr(id, instr(id, '/') + 1)"
        found = f"'{self.database}' AS db, tenant, {collection} AS collection, {id_} AS id, {COLUMNS}"
        return f"SELECT {found} FROM {self.quoted}"  # noqa: S608 - names of ours

    def _insert(self, rows: int) -> str:
        return f"""INSERT INTO {self.quoted} VALUES {", ".join([_ROW] * rows)}
ON CONFLICT (tenant, id) DO UPDATE SET keys = excluded.keys, body = excluded.body,
version = excluded.version, expires_at = excluded.expires_at, crc = excluded.crc
WHERE {self.quoted}.expires_at <= ?"""  # noqa: S608 - names of ours


@lru_cache(maxsize=1024)
def drawer_of(database: str, collection: str = "") -> Drawer:
    """Return a drawer, whichever fields are read of it; a process describes each once."""
    return Drawer(database, collection)


class Chest:
    """All drawers of one database."""

    def __init__(self, database: str, fields: Mapping[str, Fields]) -> None:
        self.database, self.shared = database, Drawer(database)
        self._own = {name: Drawer(database, name, read) for name, read in fields.items()}
        self.all = (self.shared, *self._own.values())

    def build(self, connection: sqlite3.Connection) -> None:
        """Create what the file has not."""
        there = {drawer.name for drawer in drawers_in(connection)}
        for drawer in self.all:
            for statement in drawer.definitions if drawer.name not in there else ():
                connection.execute(statement)

    def of(self, collection: str) -> Drawer:
        """Return where the documents of a collection lie."""
        return self._own.get(collection, self.shared)


def schema(database: str, indexes: Iterable[Index]) -> tuple[str, ...]:
    """Return the statements that create the tables of a database that is read through these indexes."""
    own = sorted({index.collection for index in indexes})
    drawers = (Drawer(database), *(Drawer(database, collection) for collection in own))
    return tuple(statement for drawer in drawers for statement in drawer.definitions)


def drawers_in(connection: sqlite3.Connection) -> list[Drawer]:
    """Return the drawers that a file has."""
    names = [name.split("_", 2)[1:] for (name,) in connection.execute(_TABLES).fetchall()]
    return [drawer_of(*parts) for parts in names]


def sort_in(connection: sqlite3.Connection, chest: Chest, anew: Iterable[str]) -> None:
    """Bring to its own drawer what lay with others, and back what no index reads any more."""
    shared = chest.shared.quoted
    if connection.execute(f"SELECT 1 FROM {shared} LIMIT 1").fetchone():  # noqa: S608 - names of ours, as below
        for collection in anew:
            _bring(connection, shared, chest.of(collection))
    kept = {drawer.name for drawer in chest.all}
    for drawer in drawers_in(connection):
        if drawer.database == chest.database and drawer.name not in kept:
            _bring_back(connection, shared, drawer)


def _bring(connection: sqlite3.Connection, shared: str, drawer: Drawer) -> None:
    beginning = f"{drawer.collection}/"
    of_it = f"FROM {shared} WHERE substr(id, 1, {len(beginning)}) = '{beginning}'"
    found = f"SELECT tenant, substr(id, {len(beginning) + 1}), {COLUMNS} {of_it}"
    connection.execute(f"INSERT INTO {drawer.quoted} {found}")
    connection.execute(f"DELETE {of_it}")


def _bring_back(connection: sqlite3.Connection, shared: str, drawer: Drawer) -> None:
    found = f"SELECT tenant, '{drawer.collection}/' || id, {COLUMNS} FROM {drawer.quoted}"  # noqa: S608
    connection.execute(f"INSERT INTO {shared} {found}")
    connection.execute(f"DROP TABLE {drawer.quoted}")


def show_all(connection: sqlite3.Connection) -> None:
    """Have one view show all documents, for whoever looks into the file."""
    arms = sorted(drawer.whole for drawer in drawers_in(connection))
    wanted = f"CREATE VIEW packed AS {' UNION ALL '.join(arms)}"
    if connection.execute(_VIEW).fetchone() != (wanted,):
        connection.execute("DROP VIEW IF EXISTS packed")
        connection.execute(wanted)
