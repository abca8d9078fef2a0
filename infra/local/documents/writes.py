"""The three writes as conditional statements: the row count says whether each found what it expected."""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from infra.local.ambient import EPOCH
from infra.local.documents.keys import Fields, keys_of
from infra.local.documents.queries import ALIVE, DOCUMENTS
from infra.local.storage.connection import checksum_of_both
from infra.local.storage.packing import Kept, pack
from shared.domain.instants import utc
from shared.ports.document_limits import encode
from shared.ports.documents import (
    AlreadyExists,
    Create,
    Delete,
    DocumentError,
    Json,
    Ref,
    StaleVersion,
    Update,
    Write,
)

Place = tuple[str, str, str, str]
"""Database, tenant, collection, id."""

CRC = (
    "checksum(db || '/' || tenant || '/' || collection || '/' || id || '@' || version "
    "|| '~' || ifnull(expires_at, '') || ifnull(keys, ''), body)"
)
"""The checksum over a whole row, as an expression; `checksum_of` computes the same."""

_INSERT = """INSERT INTO packed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (db, tenant, collection, id) DO UPDATE SET keys = excluded.keys,
body = excluded.body, version = excluded.version, expires_at = excluded.expires_at, crc = excluded.crc
WHERE packed.expires_at <= ?"""
_AT_VERSION = f"db = ? AND tenant = ? AND collection = ? AND id = ? AND version = ? AND {ALIVE}"
_UPDATE = (
    f"UPDATE {DOCUMENTS} SET keys = ?, body = ?, version = ?, expires_at = ?, crc = ? WHERE {_AT_VERSION}"  # noqa: S608
)
_DELETE = f"DELETE FROM {DOCUMENTS} WHERE {_AT_VERSION}"  # noqa: S608


def checksum_of(place: Place, version: int, expires_at: int | None, keys: str | None, body: Kept) -> int:
    """Return the checksum over a whole row."""
    head = f"{'/'.join(place)}@{version}~{'' if expires_at is None else expires_at}{keys or ''}"
    return checksum_of_both(head, body)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A write that needs nothing more than a connection, the new version and the present instant."""

    apply: "Callable[[sqlite3.Connection, Prepared, int, int], int]"
    refusal: Callable[[Ref], DocumentError]
    ref: Ref
    place: Place
    size: int = 0
    keys: str | None = None
    body: Kept = ""
    expires_at: int | None = None
    expected: int = 0

    def run(self, connection: sqlite3.Connection, version: int, now: int) -> None:
        """Write, or raise the refusal."""
        if self.apply(connection, self, version, now) != 1:
            raise self.refusal(self.ref)

    def row(self, version: int) -> tuple[str | None, Kept, int, int | None, int]:
        """Return what the indexes read, body, version, expiry and the checksum over the whole row."""
        crc = checksum_of(self.place, version, self.expires_at, self.keys, self.body)
        return self.keys, self.body, version, self.expires_at, crc


def microseconds(instant: datetime) -> int:
    """Return an instant as the store keeps it."""
    return (instant - EPOCH) // timedelta(microseconds=1)


def prepare_write(write: Write, database: str, tenant: str, fields: Fields) -> Prepared:
    """Check a write's content and make it ready; of the fields named, the indexes read the values."""
    place = (database, tenant, write.ref.collection, write.ref.id)
    return _PREPARERS[type(write)](write, place, fields)


def _prepare_create(write: Create, place: Place, fields: Fields) -> Prepared:
    content, expiry = _content(write.data, fields), _expiry(write.expires_at)
    return Prepared(_create, AlreadyExists, write.ref, place, *content, expiry)


def _prepare_update(write: Update, place: Place, fields: Fields) -> Prepared:
    content, expiry = _content(write.data, fields), _expiry(write.expires_at)
    return Prepared(_update, StaleVersion, write.ref, place, *content, expiry, _number(write.version))


def _content(data: Mapping[str, Json], fields: Fields) -> tuple[int, str | None, Kept]:
    plain = encode(data)
    return len(plain), keys_of(data, fields), pack(plain)


def _prepare_delete(write: Delete, place: Place, _: Fields) -> Prepared:
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
