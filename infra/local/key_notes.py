"""What a database remembers of the keys that sealed what it holds: a key file without them is refused."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infra.local.storage.connection import checksum, connect_to_look
from infra.local.storage.engine import Engine

SCHEMA: Final = (
    """CREATE TABLE IF NOT EXISTS keyring (
        place INTEGER PRIMARY KEY CHECK (place = 1), ring TEXT NOT NULL,
        crc INTEGER NOT NULL CHECK (crc = checksum(ring)))""",
    """CREATE TABLE IF NOT EXISTS keyring_key (
        purpose TEXT NOT NULL, version INTEGER NOT NULL, id TEXT NOT NULL,
        since INTEGER NOT NULL, retired INTEGER NOT NULL,
        crc INTEGER NOT NULL CHECK (crc = checksum(purpose || '@' || version || id || since || retired)),
        PRIMARY KEY (purpose, version)) WITHOUT ROWID""",
)
_NOTE: Final = """INSERT OR IGNORE INTO keyring_key
VALUES (?1, ?2, ?3, 0, 0, checksum(?1 || '@' || ?2 || ?3 || 0 || 0))"""
_DATED: Final = """UPDATE keyring_key SET since = ?1,
crc = checksum(purpose || '@' || version || id || ?1 || retired) WHERE since = 0"""
_RETIRED: Final = """UPDATE keyring_key SET retired = 1,
crc = checksum(purpose || '@' || version || id || since || 1) WHERE purpose = ? AND version = ?"""
_ALL: Final = "SELECT purpose, version, id, since, retired FROM keyring_key ORDER BY purpose, version"


@dataclass(frozen=True, slots=True)
class NotedKey:
    """One version of a purpose's key that sealed something, and whether it is destroyed by now."""

    purpose: str
    version: int
    id: bytes
    since: int
    retired: bool


def noted(engine: Engine) -> tuple[NotedKey, ...]:
    """Return every version that ever sealed anything here, by purpose and version."""
    return tuple(_read(row) for row in engine.read(_ALL))


def noted_in(database: Path) -> tuple[NotedKey, ...]:
    """Return the same of a database that is not open; nothing where that cannot be told."""
    if not database.exists():
        return ()
    try:
        with closing(connect_to_look(database)) as connection:
            return tuple(_read(row) for row in connection.execute(_ALL))
    except sqlite3.Error:
        return ()  # of an earlier release, or damaged: the database's own check tells


def note(ring: str, purpose: str, version: int, id_: bytes, connection: sqlite3.Connection) -> None:
    """Remember which key file, and which of its keys, is about to seal something."""
    tie(ring, connection)
    connection.execute(_NOTE, (purpose, version, id_.hex()))


def date(now: int, connection: sqlite3.Connection) -> None:
    """Say of keys that were taken up since the last look, that they were by now."""
    connection.execute(_DATED, (now,))


def note_retired(purpose: str, version: int, connection: sqlite3.Connection) -> None:
    """Remember that a version is destroyed, and that nothing needs it."""
    connection.execute(_RETIRED, (purpose, version))


def forget_lost(lost: tuple[NotedKey, ...], connection: sqlite3.Connection) -> None:
    """Go on without keys whose loss was accepted: their numbers stay given."""
    for key in lost:
        note_retired(key.purpose, key.version, connection)


def tie(ring: str, connection: sqlite3.Connection) -> None:
    """Remember in the database which key file it needs."""
    connection.execute("INSERT OR REPLACE INTO keyring VALUES (1, ?, ?)", (ring, checksum(ring)))


def _read(row: tuple[str, int, str, int, int]) -> NotedKey:
    purpose, version, id_, since, retired = row
    return NotedKey(purpose, version, bytes.fromhex(id_), since, bool(retired))
