"""Documents as JSON rows of the one SQLite file, under their database, tenant, collection and id."""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from infra.local.documents import former
from infra.local.documents.drawers import DATABASES, Chest, Drawer, show_all
from infra.local.documents.keys import indexed_fields
from infra.local.documents.queries import Query, create_indexes, new_collections
from infra.local.documents.tenant import SqliteTenantDocuments, Table
from infra.local.storage.connection import keep_layout, keep_schema
from infra.local.storage.engine import Engine
from shared.domain.ids import TenantId
from shared.ports.ambient import Clock
from shared.ports.document_limits import check_query
from shared.ports.documents import Index, Json, Ref, UndeclaredIndex

SCHEMA = (
    *former.SCHEMA,
    *(statement for database in DATABASES for statement in Drawer(database).definitions),
)
PURGE_BATCH = 500


class SqliteDocuments:
    """One database of documents; `main` and `sealed` share the file and nothing else."""

    def __init__(
        self, engine: Engine, clock: Clock, indexes: Sequence[Index], database: Literal["main", "sealed"]
    ) -> None:
        queries = {index: Query(database, index) for index in indexes}
        self._shelf = Table(engine, clock, Chest(database, indexed_fields(indexes)), queries)

    async def prepare(self) -> None:
        """Create the declared indexes, and take in what a release before kept; once, before any query."""
        shelf = self._shelf
        await shelf.engine.write(partial(_prepare, shelf.chest, list(shelf.queries.values())))
        while await shelf.engine.write(partial(former.take_in, shelf.chest)):
            pass

    def tenant(self, tenant: TenantId) -> SqliteTenantDocuments:
        """Return the handle that all reads and writes of one tenant go through."""
        return SqliteTenantDocuments(self._shelf, TenantId(tenant))

    async def sweep(
        self, index: Index, equals: Mapping[str, Json], *, until: Json, since: Json = None, limit: int = 100
    ) -> Sequence[tuple[TenantId, str]]:
        """Return (tenant, id) pairs across tenants, and nothing else of the documents."""
        query = self._shelf.query(index)
        if not index.swept:
            raise UndeclaredIndex(index)
        check_query(index, equals, until, limit, since)
        rows = self._shelf.read(
            query.across_tenants(bounded=until is not None),
            *query.parameters(equals, until, since=since),
            self._shelf.now(),
            limit,
        )
        return [(TenantId(tenant), id_) for tenant, id_ in rows]

    async def forget(self, tenant: TenantId, refs: Sequence[Ref]) -> int:
        """Remove a tenant's documents, whatever their version, expired or not; return how many there were."""
        return await self._shelf.engine.write(partial(_forget, self._shelf.chest, tenant, refs))

    async def purge(self) -> int:
        """Remove the documents past their expiry, a batch to a commit, and return how many."""
        purged, batch = 0, PURGE_BATCH
        while batch == PURGE_BATCH:
            batch = await self._shelf.engine.write(partial(_purge, self._shelf.chest, self._shelf.now()))
            purged += batch
        return purged


def _prepare(chest: Chest, queries: list[Query], connection: sqlite3.Connection) -> None:
    former.drop_indexes(connection)
    former.file_anew(connection, chest, new_collections(connection, chest.database, queries))
    create_indexes(connection, chest.database, queries)
    show_all(connection)
    keep_schema(connection)
    keep_layout(connection)


def _forget(chest: Chest, tenant: TenantId, refs: Sequence[Ref], connection: sqlite3.Connection) -> int:
    drawers = [(chest.of(ref.collection), ref) for ref in refs]
    found = (connection.execute(drawer.forget, (tenant, drawer.id_of(ref))) for drawer, ref in drawers)
    return sum(each.rowcount for each in found)


def _purge(chest: Chest, now: int, connection: sqlite3.Connection) -> int:
    left = PURGE_BATCH
    for drawer in chest.all:
        left -= connection.execute(drawer.purge, (now, left)).rowcount
    return PURGE_BATCH - left
