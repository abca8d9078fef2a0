"""The three writes as conditional statements: the row count says whether each found what it expected."""

import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from infra.local.ambient import EPOCH
from infra.local.documents.queries import ALIVE, DOCUMENTS
from shared.domain.instants import utc
from shared.ports.document_limits import encode
from shared.ports.documents import (
    AlreadyExists,
    Create,
    Delete,
    DocumentError,
    Ref,
    StaleVersion,
    Update,
    Write,
)

Place = tuple[str, str, str, str]
"""Database, tenant, collection, id."""

CRC = (
    "checksum(db || '/' || tenant || '/' || collection || '/' || id || '@' || version "
    "|| '~' || ifnull(expires_at, '') || body)"
)
"""The checksum over a whole row, as an expression; `Prepared.row` computes the same."""

_INSERT = """INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (db, tenant, collection, id) DO UPDATE
SET body = excluded.body, version = excluded.version, expires_at = excluded.expires_at, crc = excluded.crc
WHERE documents.expires_at <= ?"""
_AT_VERSION = f"db = ? AND tenant = ? AND collection = ? AND id = ? AND version = ? AND {ALIVE}"
_UPDATE = f"UPDATE {DOCUMENTS} SET body = ?, version = ?, expires_at = ?, crc = ? WHERE {_AT_VERSION}"  # noqa: S608
_DELETE = f"DELETE FROM {DOCUMENTS} WHERE {_AT_VERSION}"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Prepared:
    """A write that needs nothing more than a connection, the new version and the present instant."""

    apply: "Callable[[sqlite3.Connection, Prepared, int, int], int]"
    refusal: Callable[[Ref], DocumentError]
    ref: Ref
    place: Place
    body: bytes = b""
    expires_at: int | None = None
    expected: int = 0

    def run(self, connection: sqlite3.Connection, version: int, now: int) -> None:
        """Write, or raise the refusal."""
        if self.apply(connection, self, version, now) != 1:
            raise self.refusal(self.ref)

    def row(self, version: int) -> tuple[str, int, int | None, int]:
        """Return body, version, expiry and the checksum over the whole row."""
        head = f"{'/'.join(self.place)}@{version}~{'' if self.expires_at is None else self.expires_at}"
        crc = zlib.crc32(self.body, zlib.crc32(head.encode()))
        return self.body.decode(), version, self.expires_at, crc


def microseconds(instant: datetime) -> int:
    """Return an instant as the store keeps it."""
    return (instant - EPOCH) // timedelta(microseconds=1)


def prepare_write(write: Write, database: str, tenant: str) -> Prepared:
    """Check a write's content and make it ready."""
    place = (database, tenant, write.ref.collection, write.ref.id)
    return _PREPARERS[type(write)](write, place)


def _prepare_create(write: Create, place: Place) -> Prepared:
    return Prepared(_create, AlreadyExists, write.ref, place, encode(write.data), _expiry(write.expires_at))


def _prepare_update(write: Update, place: Place) -> Prepared:
    body, expiry = encode(write.data), _expiry(write.expires_at)
    return Prepared(_update, StaleVersion, write.ref, place, body, expiry, _number(write.version))


def _prepare_delete(write: Delete, place: Place) -> Prepared:
    return Prepared(_delete, StaleVersion, write.ref, place, expected=_number(write.version))


_PREPARERS: dict[type[Write], Callable[..., Prepared]] = {
    Create: _prepare_create,
    Update: _prepare_update,
    Delete: _prepare_delete,
}


def _create(connection: sqlite3.Connection, write: Prepared, version: int, now: int) -> int:
    return connection.execute(_INSERT, (*write.place, *write.row(version), now)).rowcount


def _update(connection: sqlite3.Connection, write: Prepared, version: int, now: int) -> int:
    return connection.execute(_UPDATE, (*write.row(version), *write.place, write.expected, now)).rowcount


def _delete(connection: sqlite3.Connection, write: Prepared, _version: int, now: int) -> int:
    return connection.execute(_DELETE, (*write.place, write.expected, now)).rowcount


def _expiry(instant: datetime | None) -> int | None:
    return None if instant is None else microseconds(utc(instant, "expires_at"))


def _number(version: str) -> int:
    # What is not a version of ours was never a document's: it is stale, not malformed.
    return int(version) if version.isascii() and version.isdecimal() and len(version) < 19 else -1
