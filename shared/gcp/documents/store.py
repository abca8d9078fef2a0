"""The document store on Firestore, where a document is tenants/{tenant}/{collection}/{id}."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from shared.domain.ids import TenantId
from shared.gcp.clients import Connect
from shared.gcp.documents.connection import Connection
from shared.gcp.documents.form import forms
from shared.gcp.documents.names import Place, tenant_and_id
from shared.gcp.documents.queries import Query
from shared.gcp.documents.stored import placed
from shared.gcp.documents.tenant import FirestoreTenantDocuments, Table, living
from shared.ports.ambient import Clock, Entropy
from shared.ports.document_limits import check_index
from shared.ports.documents import Index, Json, UndeclaredIndex

Indexes = Callable[[], Sequence[Index]]


class FirestoreDocuments:
    """One database of documents; what queries it is asked is looked up when it is first asked anything."""

    def __init__(
        self, connect: Connect, place: Place, clock: Clock, entropy: Entropy, indexes: Indexes
    ) -> None:
        self._connect, self._place, self._indexes = connect, place, indexes
        self._clock, self._entropy = clock, entropy

    @cached_property
    def _table(self) -> Table:
        indexes = self._indexes()
        for index in indexes:
            check_index(index)
        connection = Connection(self._connect, self._place)
        return Table(connection, self._clock, self._entropy, frozenset(indexes), forms(indexes))

    def tenant(self, tenant: TenantId) -> FirestoreTenantDocuments:
        """Return the handle that all reads and writes of one tenant go through."""
        return FirestoreTenantDocuments(self._table, TenantId(tenant))

    async def sweep(
        self, index: Index, equals: Mapping[str, Json], *, until: Json, since: Json = None, limit: int = 100
    ) -> Sequence[tuple[TenantId, str]]:
        """Return (tenant, id) pairs across tenants, and nothing else of the documents."""
        table = self._table
        table.check(index, equals, until, limit, since)
        if not index.swept:
            raise UndeclaredIndex(index)
        found = await asyncio.gather(
            *(
                self._swept(Query(index, equals, until, across=True, shard=shard, since=since), limit)
                for shard in _shards(index)
            )
        )
        return [whose for *_, whose in sorted(chain(*found))][:limit]

    async def _swept(self, query: Query, limit: int) -> list[tuple[Any, str, tuple[TenantId, str]]]:
        found = await living(self._table, self._table.connection.place.everywhere, query, limit)
        # Value, then name: the order in which Firestore gives them within a shard.
        return [(placed(each, query.index.order_by), each.name, tenant_and_id(each.name)) for each in found]


def _shards(index: Index) -> Sequence[int | None]:
    return [None] if index.shards == 1 else range(index.shards)
