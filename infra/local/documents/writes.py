"""The three writes as conditional statements: the row count says whether each found what it expected."""

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Final, NamedTuple

from infra.local.delivery.instants import micros
from infra.local.documents.drawers import At, Drawer
from infra.local.documents.keys import Key, keys_of
from infra.local.storage.packing import Kept, pack
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

MOST_IN_A_STATEMENT: Final = 32
"""To insert one row opens each of the table's indexes; to insert some, once."""


class Prepared(NamedTuple):
    """A write that needs nothing more than a connection, the new version and the present instant."""

    apply: "Callable[[sqlite3.Connection, Prepared, int, int], int]"
    refusal: Callable[[Ref], DocumentError]
    ref: Ref
    drawer: Drawer
    at: At
    size: int = 0
    body: Kept = ""
    read: Sequence[Key] = ()
    expected: int = 0

    def run(self, connection: sqlite3.Connection, version: int, now: int) -> None:
        """Write, or raise the refusal."""
        if self.apply(connection, self, version, now) != 1:
            raise self.refusal(self.ref)

    def row(self, version: int) -> tuple[Key, ...]:
        """Return its row."""
        return self.drawer.row(self.at, self.read, version, self.body)


def prepare_write(write: Write, drawer: Drawer, tenant: str) -> Prepared:
    """Check a write's content and make it ready for where it lies."""
    return _PREPARERS[type(write)](write, drawer, (tenant, drawer.id_of(write.ref)))


def _prepare_create(write: Create, drawer: Drawer, at: At) -> Prepared:
    return Prepared(_create, AlreadyExists, write.ref, drawer, at, *_content(write, drawer))


def _prepare_update(write: Update, drawer: Drawer, at: At) -> Prepared:
    content, expected = _content(write, drawer), _number(write.version)
    return Prepared(_update, StaleVersion, write.ref, drawer, at, *content, expected)


def _content(write: Create | Update, drawer: Drawer) -> tuple[int, Kept, Sequence[Key]]:
    plain, read = encode(write.data), keys_of(write.data, drawer.fields)
    return len(plain), pack(plain), (*read, _expiry(write.expires_at))


def _prepare_delete(write: Delete, drawer: Drawer, at: At) -> Prepared:
    return Prepared(_delete, StaleVersion, write.ref, drawer, at, expected=_number(write.version))


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
    values = [value for write in writes for value in write.row(version)]
    if connection.execute(drawer.insert(len(writes)), (*values, now)).rowcount == len(writes):
        return
    for write in writes:
        if connection.execute(drawer.version, write.at).fetchone() != (version,):
            raise write.refusal(write.ref)


def _create(connection: sqlite3.Connection, write: Prepared, version: int, now: int) -> int:
    return connection.execute(write.drawer.insert(1), (*write.row(version), now)).rowcount


def _update(connection: sqlite3.Connection, write: Prepared, version: int, now: int) -> int:
    drawer, at, body, read = write.drawer, write.at, write.body, write.read
    changed = drawer.changed(at, write.expected, read)
    fresh = [read[place] for place in changed]
    values = (*fresh, version, body, drawer.checksum(at, read, version, body), *at, write.expected, now)
    return connection.execute(drawer.update(changed), values).rowcount


def _delete(connection: sqlite3.Connection, write: Prepared, _version: int, now: int) -> int:
    return connection.execute(write.drawer.delete, (*write.at, write.expected, now)).rowcount


def _expiry(instant: datetime | None) -> int | None:
    return None if instant is None else micros(utc(instant, "expires_at"))


def _number(version: str) -> int:
    # What is not a version of ours was never a document's: it is stale, not malformed.
    return int(version) if version.isascii() and version.isdecimal() and len(version) < 19 else -1
