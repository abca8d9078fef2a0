"""The bus on disk: messages once, a delivery for each subscription that still wants one."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from infra.local.storage.database import checksum
from shared.domain.replacing import born_open

SCHEMA: tuple[str, ...] = (
    """CREATE TABLE IF NOT EXISTS bus_message (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        topic TEXT NOT NULL,
        published_at INTEGER NOT NULL,
        ordering_key TEXT NOT NULL,
        payload BLOB NOT NULL,
        notes TEXT NOT NULL,
        crc INTEGER NOT NULL CHECK (crc = checksum(payload) + checksum(notes)),
        parked INTEGER NOT NULL, -- 0 on its way, 1 set aside for a person, 2 kept for a function to come
        source TEXT,
        origin INTEGER,
        origin_at INTEGER
    )""",
    "CREATE INDEX IF NOT EXISTS bus_message_parked ON bus_message (topic, source) WHERE parked = 1",
    "CREATE INDEX IF NOT EXISTS bus_message_kept ON bus_message (topic, id) WHERE parked = 2",
    "CREATE INDEX IF NOT EXISTS bus_message_aside ON bus_message (id) WHERE parked > 0",
    """CREATE TABLE IF NOT EXISTS bus_delivery (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        subscription TEXT NOT NULL,
        message INTEGER NOT NULL,
        ordering_key TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        due INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX IF NOT EXISTS bus_delivery_backlog ON bus_delivery (subscription)",
    "CREATE INDEX IF NOT EXISTS bus_delivery_message ON bus_delivery (message)",
    """CREATE INDEX IF NOT EXISTS bus_delivery_line ON bus_delivery (subscription, ordering_key)
        WHERE ordering_key <> ''""",
)
"""Both numbers only ever grow: ids are never given twice, and a dispatcher's cursor misses nothing."""

KEPT = 2
MESSAGE_COLUMNS = "id, topic, published_at, ordering_key, payload, notes, parked, source, origin, origin_at"
INSERT_MESSAGE = f"""INSERT INTO bus_message ({MESSAGE_COLUMNS}, crc)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"""  # noqa: S608 - constants only
INSERT_DELIVERY = "INSERT INTO bus_delivery (subscription, message, ordering_key) VALUES (?, ?, ?)"
FORGET_MESSAGE = """DELETE FROM bus_message WHERE id = ? AND parked = 0
    AND NOT EXISTS (SELECT 1 FROM bus_delivery WHERE message = bus_message.id)"""


@dataclass(frozen=True, slots=True)
class Route:
    """A subscription that wants a message, and the key it must keep order by (empty for none)."""

    subscription: str
    ordering_key: str


@born_open
@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as it lies in the table; `notes` are the attributes added when it was set aside."""

    topic: str
    published_at: int
    ordering_key: str
    payload: bytes = field(repr=False)
    notes: Mapping[str, str] = field(default_factory=dict)
    parked: bool = False
    kept: bool = False
    source: str | None = None
    origin: int | None = None
    origin_at: int | None = None
    id: int | None = None
    shown: bytes | None = field(default=None, repr=False)
    """What is pushed of it, where that is known without opening what is kept."""


def insert(connection: sqlite3.Connection, message: StoredMessage, routes: Sequence[Route]) -> int:
    """Keep a message and its deliveries, and return its id; one that nobody wants only uses up an id."""
    notes = orjson.dumps(dict(message.notes), option=orjson.OPT_SORT_KEYS).decode()
    values = (
        message.id, message.topic, message.published_at, message.ordering_key, message.payload, notes,
        KEPT if message.kept else int(message.parked), message.source, message.origin, message.origin_at,
        checksum(message.payload) + checksum(notes),
    )  # fmt: skip
    inserted = connection.execute(INSERT_MESSAGE, values).lastrowid
    identity = message.id if message.id is not None else inserted
    if identity is None:
        raise RuntimeError("SQLite gave an inserted message no id")
    connection.executemany(
        INSERT_DELIVERY, [(way.subscription, identity, way.ordering_key) for way in routes]
    )
    if not routes:
        connection.execute(FORGET_MESSAGE, (identity,))
    return identity


def settle(connection: sqlite3.Connection, seq: int, message: int) -> None:
    """Forget a delivery, and its message with the last one."""
    connection.execute("DELETE FROM bus_delivery WHERE seq = ?", (seq,))
    connection.execute(FORGET_MESSAGE, (message,))


def loaded(row: Sequence[Any]) -> StoredMessage:
    """Return the message of a row of MESSAGE_COLUMNS."""
    identity, topic, published_at, key, payload, notes, parked, source, origin, origin_at = row
    return StoredMessage(
        topic,
        published_at,
        key,
        payload,
        orjson.loads(notes),
        bool(parked),
        parked == KEPT,
        source,
        origin,
        origin_at,
        identity,
    )
