"""The three writes as conditional statements: the row count says whether each found what it expected."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Final, NamedTuple

from infra.local.delivery.instants import micros
from infra.local.documents.drawers import Drawer
from infra.local.documents.keys import keys_of
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

MOST_IN_A_STATEMENT: Final = 32
"""To insert one row opens each of the table's indexes; to insert some, once."""


def checksum_of(place: Place, version: int, expires_at: int | None, keys: str | None, body: Kept) -> int:
    """Return the checksum over a whole row."""
    head = f"{'/'.join(place)}@{version}~{'' if expires_at is None else expires_at}{keys or ''}"
    return checksum_of_both(head, body)


class Prepared(NamedTuple):
    """A write that needs nothing more than a connection, the new version and the present instant."""

    apply: "Callable[[sqlite3.Connection, Prepared, int, int], int]"
    refusal: Callable[[Ref], DocumentError]
    ref: Ref
    tenant: str
    drawer: Drawer
    size: int = 0
    keys: str | None = None
    body: Kept = ""
    expires_at: int | None = None
    expected: int = 0

    def run(self, connection: sqlite3.Connection, version: int, now: int) -> None:
        """Write, or raise the refusal."""
        if self.apply(connection, self, version, now) != 1:
            raise self.refusal(self.ref)

    @property
    def at(self) -> tuple[str, str]:
        """Return what its row is found by."""
        return self.tenant, self.drawer.id_of(self.ref)

    def row(self, version: int) -> tuple[str | None, Kept, int, int | None, int]:
        """Return what the indexes read, body, version, expiry and the checksum over the whole row."""
        place = (self.drawer.database, self.tenant, self.ref.collection, self.ref.id)
        crc = checksum_of(place, version, self.expires_at, self.keys, self.body)
        return self.keys, self.body, version, self.expires_at, crc


def prepare_write(write: Write, drawer: Drawer, tenant: str) -> Prepared:
    """Check a write's content and make it ready for where it lies."""
    return _PREPARERS[type(write)](write, tenant, drawer)


def _prepare_create(write: Create, tenant: str, drawer: Drawer) -> Prepared:
    content, expiry = _content(write.data, drawer), _expiry(write.expires_at)
    return Prepared(_create, AlreadyExists, write.ref, tenant, drawer, *content, expiry)


def _prepare_update(write: Update, tenant: str, drawer: Drawer) -> Prepared:
    content, expiry = _content(write.data, drawer), _expiry(write.expires_at)
    expected = _number(write.version)
    return Prepared(_update, StaleVersion, write.ref, tenant, drawer, *content, expiry, expected)


def _content(data: Mapping[str, Json], drawer: Drawer) -> tuple[int, str | None, Kept]:
    plain = encode(data)
    return len(plain), keys_of(data, drawer.fields), pack(plain)


def _prepare_delete(write: Delete, tenant: str, drawer: Drawer) -> Prepared:
    return Prepared(_delete, StaleVersion, write.ref, tenant, drawer, expected=_number(write.version))


_PREPARERS: dict[type[Write], Callable[..., Prepared]] = {
    Create: _prepare_create,
    Update: _prepare_update,
    Delete: _prepare_delete,
}


def write_all(connection: sqlite3.Connection, writes: Sequence[Prepared], version: int, now: int) -> None:
    """Write in order, or raise the first refusal; what is created side by side shares statements."""
    for (created, drawer), alike in groupby(writes, lambda write: (write.apply is _create, write.drawer)):
        some = [*alike]
        if not created:
            for write in some:
                write.run(connection, version, now)
        else:
            for at in range(0, len(some), MOST_IN_A_STATEMENT):
                _create_some(connection, drawer, some[at : at + MOST_IN_A_STATEMENT], version, now)


def _create_some(
    connection: sqlite3.Connection, drawer: Drawer, writes: Sequence[Prepared], version: int, now: int
) -> None:
    values = [value for write in writes for value in (*write.at, *write.row(version))]
    if connection.execute(drawer.insert(len(writes)), (*values, now)).rowcount == len(writes):
        return
    for write in writes:
        if connection.execute(drawer.version, write.at).fetchone() != (version,):
            raise write.refusal(write.ref)


def _create(connection: sqlite3.Connection, write: Prepared, version: int, now: int) -> int:
    values = (*write.at, *write.row(version), now)
    return connection.execute(write.drawer.insert(1), values).rowcount


def _update(connection: sqlite3.Connection, write: Prepared, version: int, now: int) -> int:
    values = (*write.row(version), *write.at, write.expected, now)
    return connection.execute(write.drawer.update, values).rowcount


def _delete(connection: sqlite3.Connection, write: Prepared, _version: int, now: int) -> int:
    return connection.execute(write.drawer.delete, (*write.at, write.expected, now)).rowcount


def _expiry(instant: datetime | None) -> int | None:
    return None if instant is None else micros(utc(instant, "expires_at"))


def _number(version: str) -> int:
    # What is not a version of ours was never a document's: it is stale, not malformed.
    return int(version) if version.isascii() and version.isdecimal() and len(version) < 19 else -1
