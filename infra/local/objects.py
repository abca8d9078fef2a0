"""Objects on SQLite: written once, kept until their time, each with a checksum."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from infra.local.delivery.instants import instant, micros
from infra.local.storage.database import checksum
from infra.local.storage.engine import Engine
from shared.ports.ambient import Clock
from shared.ports.objects import ObjectExists, ObjectKept, StoredObject, check_name, check_object, check_page

SCHEMA: tuple[str, ...] = (
    """CREATE TABLE IF NOT EXISTS objects (
        name TEXT PRIMARY KEY, data BLOB NOT NULL, kept_until INTEGER NOT NULL,
        crc INTEGER NOT NULL CHECK (crc = checksum(data))) WITHOUT ROWID""",
)
READ = "SELECT data, kept_until FROM objects WHERE name = ?"
INSERT = "INSERT INTO objects (name, data, kept_until, crc) VALUES (?, ?, ?, ?)"
REMOVE = "DELETE FROM objects WHERE name = ? AND kept_until <= ?"
LIST = "SELECT name FROM objects WHERE name > ? AND substr(name, 1, ?) = ? ORDER BY name LIMIT ?"


@dataclass(frozen=True, slots=True)
class SqliteObjects:
    """The objects of the embedded cloud."""

    engine: Engine
    clock: Clock

    async def add(self, name: str, data: bytes, kept_until: datetime) -> None:
        """Write an object, durably; the same bytes again change nothing, others raise ObjectExists."""
        check_object(name, data, kept_until)
        await self.engine.write(partial(_add, name, data, micros(kept_until)))

    async def read(self, name: str) -> StoredObject | None:
        """Return the object, or None."""
        check_name(name)
        rows = self.engine.read(READ, (name,))
        return StoredObject(name, rows[0][0], instant(rows[0][1])) if rows else None

    async def listed(self, prefix: str = "", *, after: str = "", limit: int = 100) -> Sequence[str]:
        """Return the names that begin so, in order, from beyond the name `after`."""
        check_page(limit)
        rows = self.engine.read(LIST, (after, len(prefix), prefix, limit))
        return [name for (name,) in rows]

    async def remove(self, name: str) -> None:
        """Remove the object, or raise ObjectKept before its time."""
        check_name(name)
        removed = await self.engine.write(partial(_remove, name, micros(self.clock.now())))
        if not removed and await self.read(name) is not None:
            raise ObjectKept(f"{name} is kept until its time: it was not removed")


def _add(name: str, data: bytes, kept_until: int, connection: sqlite3.Connection) -> None:
    found = connection.execute(READ, (name,)).fetchone()
    if found is None:
        connection.execute(INSERT, (name, data, kept_until, checksum(data)))
    elif found[0] != data:
        raise ObjectExists(f"{name} holds something else: write under another name")


def _remove(name: str, now: int, connection: sqlite3.Connection) -> bool:
    return connection.execute(REMOVE, (name, now)).rowcount > 0
