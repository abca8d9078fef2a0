"""One tenant's documents: the only way to a document's content."""

import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson

from infra.local.documents.keys import Fields
from infra.local.documents.queries import ALIVE, DOCUMENTS, Query
from infra.local.documents.writes import Prepared, microseconds, prepare_write
from infra.local.storage.engine import Engine
from infra.local.storage.packing import Kept, unpack
from shared.domain.ids import TenantId
from shared.ports.ambient import Clock
from shared.ports.document_limits import (
    check_commit_bytes,
    check_of_tenant,
    check_query,
    check_ref,
    check_writes,
    place_of,
)
from shared.ports.documents import Delete, Document, Index, Json, Ref, UndeclaredIndex, Write

Keep = Callable[[Callable[[sqlite3.Connection], int]], Awaitable[int]]
_GET = f"""SELECT body, version FROM {DOCUMENTS}
WHERE db = ? AND tenant = ? AND collection = ? AND id = ? AND {ALIVE}"""  # noqa: S608 - ALIVE is a constant


@dataclass(frozen=True, slots=True)
class Table:
    """What every handle on one database shares."""

    engine: Engine
    clock: Clock
    database: str
    queries: Mapping[Index, Query]
    fields: Mapping[str, Fields]

    def now(self) -> int:
        """Return the present instant as the store keeps it."""
        return microseconds(self.clock.now())

    def read(self, sql: str, *parameters: Any) -> list[Any]:
        """Return rows, counted as Firestore would bill them: an empty answer is a read too."""
        rows = self.engine.read(sql, parameters)
        self.engine.counters.spend("document_reads", max(1, len(rows)))
        return rows

    def query(self, index: Index) -> Query:
        """Return the declared query, or say how to declare it."""
        try:
            return self.queries[index]
        except KeyError:
            raise UndeclaredIndex(index) from None


class SqliteTenantDocuments:
    """The documents of one tenant in one database."""

    def __init__(self, shelf: Table, tenant: TenantId) -> None:
        self._shelf, self._tenant = shelf, tenant

    @property
    def tenant(self) -> TenantId:
        """Whose documents these are."""
        return self._tenant

    async def get(self, ref: Ref) -> Document | None:
        """Return the living document, or None."""
        check_ref(ref)
        shelf = self._shelf
        rows = shelf.read(_GET, shelf.database, self._tenant, ref.collection, ref.id, shelf.now())
        return _document(ref, *rows[0]) if rows else None

    async def commit(self, writes: Sequence[Write]) -> tuple[str, ...]:
        """Apply all writes or none; return the new version of each (empty for a delete)."""
        return await self._applied(writes, self._shelf.engine.write)

    async def note(self, writes: Sequence[Write]) -> tuple[str, ...]:
        """Commit what nobody is in a hurry for: it rides on the next commit, within 50 ms."""
        return await self._applied(writes, self._shelf.engine.ride)

    async def _applied(self, writes: Sequence[Write], keep: Keep) -> tuple[str, ...]:
        if not writes:
            return ()
        shelf = self._shelf
        check_writes(writes)
        prepared = [self._prepared(write) for write in writes]
        check_commit_bytes(sum(each.size for each in prepared))
        version = await keep(partial(_apply, shelf, prepared, shelf.now()))
        shelf.engine.counters.spend("document_writes", len(writes))
        return tuple("" if isinstance(write, Delete) else str(version) for write in writes)

    def _prepared(self, write: Write) -> Prepared:
        fields = self._shelf.fields.get(write.ref.collection, ())
        return prepare_write(write, self._shelf.database, self._tenant, fields)

    async def query(
        self,
        index: Index,
        equals: Mapping[str, Json],
        *,
        until: Json = None,
        after: Document | None = None,
        limit: int = 100,
    ) -> Sequence[Document]:
        """Return living documents equal on the index's fields, ordered, up to and including `until`."""
        query = self._shelf.query(index)
        check_of_tenant(index)
        check_query(index, equals, until, limit)
        rows = self._shelf.read(
            query.of_tenant(bounded=until is not None, resumed=after is not None),
            self._tenant,
            *query.parameters(equals, until, None if after is None else place_of(index, after)),
            self._shelf.now(),
            limit,
        )
        return [_document(Ref(index.collection, id_), body, version) for id_, body, version in rows]


def _document(ref: Ref, body: Kept, version: int) -> Document:
    return Document(ref, orjson.loads(unpack(body)), str(version))


def _apply(shelf: Table, writes: Sequence[Prepared], now: int, connection: sqlite3.Connection) -> int:
    # One version for the whole commit, never given twice: what is deleted and made anew cannot be mistaken.
    version = shelf.engine.number()
    for write in writes:
        write.run(connection, version, now)
    return version
