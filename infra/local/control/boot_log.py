"""When fleets were started on this home: between two of them, whatever was under way was taken up again."""

import sqlite3
from datetime import datetime
from typing import Final

from infra.local.delivery.instants import instant, micros
from infra.local.storage.database import checksum
from infra.local.storage.engine import Engine

SCHEMA: Final = (
    """CREATE TABLE IF NOT EXISTS fleet_starts (
        at INTEGER PRIMARY KEY, crc INTEGER NOT NULL CHECK (crc = checksum(at || ''))) WITHOUT ROWID""",
)


class Starts:
    """A note of every start; losing one loses nothing else."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def note(self, at: datetime) -> None:
        """Note a start, with the next commit."""
        row = (micros(at), checksum(str(micros(at))))

        def operation(db: sqlite3.Connection) -> None:
            db.execute("INSERT INTO fleet_starts VALUES (?, ?) ON CONFLICT DO NOTHING", row)

        self._engine.write_soon(operation)

    def between(self, begun: datetime, ended: datetime) -> list[datetime]:
        """Return the starts after one instant and up to another."""
        rows = self._engine.read(
            "SELECT at FROM fleet_starts WHERE at > ? AND at <= ? ORDER BY at", (micros(begun), micros(ended))
        )
        return [instant(at) for (at,) in rows]
