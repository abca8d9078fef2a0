"""One tenant's documents: the only way to a document's content."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.domain.ids import TenantId
from shared.gcp.documents.commits import Conditional, applied, prepare, reconsidered, versions
from shared.gcp.documents.connection import Connection, Refused
from shared.gcp.documents.form import Form
from shared.gcp.documents.queries import Query
from shared.gcp.documents.stored import Stored, read, stored
from shared.ports.ambient import Clock, Entropy
from shared.ports.document_limits import check_of_tenant, check_query, check_ref, check_refs, place_of
from shared.ports.documents import Document, Index, Json, Ref, StaleVersion, UndeclaredIndex, Write

LOOKS: Final = 4
MARK_BYTES: Final = 9


@dataclass(frozen=True, slots=True)
class Table:
    """What every handle on one database shares."""

    connection: Connection
    clock: Clock
    entropy: Entropy
    indexes: frozenset[Index]
    forms: Mapping[str, Form]

    def check(
        self, index: Index, equals: Mapping[str, Json], until: Json, limit: int, since: Json = None
    ) -> None:
        """Refuse a query that is undeclared or does not fit."""
        if index not in self.indexes:
            raise UndeclaredIndex(index)
        check_query(index, equals, until, limit, since)


class FirestoreTenantDocuments:
    """The documents of one tenant in one database."""

    def __init__(self, table: Table, tenant: TenantId) -> None:
        self._table, self._tenant = table, tenant
        self._at = table.connection.place

    @property
    def tenant(self) -> TenantId:
        """Whose documents these are."""
        return self._tenant

    async def get(self, ref: Ref) -> Document | None:
        """Return the living document, or None."""
        check_ref(ref)
        found = await self._table.connection.get(self._at.document(self._tenant, ref))
        if found is None or not stored(found).lives(self._table.clock.now()):
            return None
        return read(ref, found)

    async def get_all(self, refs: Sequence[Ref]) -> Sequence[Document | None]:
        """Return each of some documents as it lives, or None, in the order asked."""
        check_refs(refs)
        if not refs:
            return ()
        now = self._table.clock.now()
        found = await self._table.connection.get_all([self._at.document(self._tenant, ref) for ref in refs])
        return [
            read(ref, each) if each is not None and stored(each).lives(now) else None
            for ref, each in zip(refs, found, strict=True)
        ]

    async def commit(self, writes: Sequence[Write]) -> tuple[str, ...]:
        """Apply all writes or none; return the new version of each (empty for a delete)."""
        if not writes:
            return ()
        table = self._table
        # The mark makes every write a change, so that it gets a version, and tells our writes from others'.
        mark = table.entropy.token(MARK_BYTES).hex()
        names = [self._at.document(self._tenant, write.ref) for write in writes]
        prepared = prepare(writes, names, table.forms, mark, table.clock.now())
        for _ in range(LOOKS):
            try:
                updated = await table.connection.commit([each.request() for each in prepared])
                return versions(writes, updated)
            except Refused:
                found = await self._found(prepared)
            if (done := applied(prepared, found, mark)) is not None:
                return done
            prepared = reconsidered(prepared, found, table.clock.now())
        raise StaleVersion(writes[0].ref)

    async def note(self, writes: Sequence[Write]) -> tuple[str, ...]:
        """Commit: Firestore knows no later."""
        return await self.commit(writes)

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
        check_of_tenant(index)
        self._table.check(index, equals, until, limit)
        query = Query(index, equals, until, start=None if after is None else self._place(index, after))
        found = await living(self._table, self._at.tenant(self._tenant), query, limit)
        return [read(Ref(index.collection, each.name.rpartition("/")[2]), each) for each in found]

    def _place(self, index: Index, document: Document) -> tuple[Json, str]:
        return place_of(index, document)[0], self._at.document(self._tenant, document.ref)

    async def _found(self, writes: Sequence[Conditional]) -> Mapping[Ref, Stored]:
        documents = await self._table.connection.get_all([each.name for each in writes])
        return {
            each.write.ref: stored(document)
            for each, document in zip(writes, documents, strict=True)
            if document is not None
        }


async def living(table: Table, parent: str, query: Query, limit: int) -> list[Any]:
    """Return as many living documents as asked for: the expired do not use up the limit."""
    found: list[Any] = []
    async for page in table.connection.pages(parent, query, limit):
        now = table.clock.now()
        found += [document for document in page if stored(document).lives(now)]
        if len(found) >= limit:
            break
    return found[:limit]
