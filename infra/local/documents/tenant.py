"""One tenant's documents: the only way to a document's content."""

import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

import orjson

from infra.local.delivery.instants import micros
from infra.local.documents.drawers import Chest
from infra.local.documents.queries import Query, reaches
from infra.local.documents.writes import Prepared, prepare_write, write_all
from infra.local.storage.engine import Engine
from infra.local.storage.packing import Kept, unpack
from shared.domain.ids import TenantId
from shared.ports.ambient import Clock
from shared.ports.document_limits import (
    check_commit_bytes,
    check_of_tenant,
    check_query,
    check_ref,
    check_refs,
    check_writes,
    place_of,
)
from shared.ports.documents import Delete, Document, Index, Json, Ref, UndeclaredIndex, Write

Keep = Callable[[Callable[[sqlite3.Connection], int]], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Table:
    """What every handle on one database shares."""

    engine: Engine
    clock: Clock
    chest: Chest
    queries: Mapping[Index, Query]

    def now(self) -> int:
        """Return the present instant as the store keeps it."""
        return micros(self.clock.now())

    def read(self, sql: str, *parameters: Any) -> list[Any]:
        """Return rows, counted as Firestore would bill them: an empty answer is a read too."""
        rows = self.engine.read(sql, parameters)
        self.engine.counters.spend("document_reads", max(1, len(rows)))
        return rows

    def found(self, sql: str, *parameters: Any) -> list[Any]:
        """Return the living rows of a statement whose last hole is for how many there may be."""
        *bounds, most = parameters
        return self.engine.read(sql, (*bounds, self.now(), most))

    def query(self, index: Index) -> Query:
        """Return the declared query, or say how to declare it."""
        try:
            return self.queries[index]
        except KeyError:
            raise UndeclaredIndex(index) from None


class SqliteTenantDocuments:
    """The documents of one tenant in one database."""

    def __init__(self, shelf: Table, tenant: TenantId) -> None:
        # Bound to a statement, an id costs more than the text that it is: Python looks for what adapts it.
        self._shelf, self._tenant, self._bound = shelf, tenant, str(tenant)

    @property
    def tenant(self) -> TenantId:
        """Whose documents these are."""
        return self._tenant

    async def get(self, ref: Ref) -> Document | None:
        """Return the living document, or None."""
        check_ref(ref)
        shelf = self._shelf
        drawer = shelf.chest.of(ref.collection)
        rows = shelf.read(drawer.get, self._bound, drawer.id_of(ref), shelf.now())
        return _document(ref, *rows[0]) if rows else None

    async def get_all(self, refs: Sequence[Ref]) -> Sequence[Document | None]:
        """Return each of some documents as it lives, or None, in the order asked."""
        check_refs(refs)
        shelf, found = self._shelf, dict[tuple[str, str], tuple[Kept, int]]()
        for collection, of_it in groupby(refs, attrgetter("collection")):
            drawer = shelf.chest.of(collection)
            ids = orjson.dumps([drawer.id_of(ref) for ref in of_it]).decode()
            rows = shelf.engine.read(drawer.get_all, (self._bound, ids, shelf.now()))
            found |= {(collection, id_): (body, version) for id_, body, version in rows}
        shelf.engine.counters.spend("document_reads", len(refs))
        kept = [found.get((ref.collection, shelf.chest.of(ref.collection).id_of(ref))) for ref in refs]
        return [each and _document(ref, *each) for ref, each in zip(refs, kept, strict=True)]

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
        for each in prepared:
            each.drawer.remember(each.at, version, each.read)
        shelf.engine.counters.spend("document_writes", len(writes))
        return tuple("" if isinstance(write, Delete) else str(version) for write in writes)

    def _prepared(self, write: Write) -> Prepared:
        return prepare_write(write, self._shelf.chest.of(write.ref.collection), self._bound)

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
        shelf, query = self._shelf, self._shelf.query(index)
        check_of_tenant(index)
        check_query(index, equals, until, limit)
        place, rows = None if after is None else place_of(index, after), list[Any]()
        if place is not None and reaches(until, place[0]):
            rows = shelf.found(query.ties_of_tenant(), self._bound, *query.ties(equals, place), limit)
        if len(rows) < limit:
            statement = query.of_tenant(bounded=until is not None, resumed=place is not None)
            rest, bounds = limit - len(rows), query.parameters(equals, until, place)
            rows += shelf.found(statement, self._bound, *bounds, rest)
        shelf.engine.counters.spend("document_reads", max(1, len(rows)))
        return [_document(Ref(index.collection, id_), body, version) for id_, body, version in rows]


def _document(ref: Ref, body: Kept, version: int) -> Document:
    return Document(ref, orjson.loads(unpack(body)), str(version))


def _apply(shelf: Table, writes: Sequence[Prepared], now: int, connection: sqlite3.Connection) -> int:
    # One version for the whole commit, never given twice: what is deleted and made anew cannot be mistaken.
    version = shelf.engine.number()
    write_all(connection, writes, version, now)
    return version
