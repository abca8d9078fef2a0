"""Documents as JSON rows of the one SQLite file, under their database, tenant, collection and id."""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from infra.local.documents import former
from infra.local.documents.keys import Fields, indexed_fields
from infra.local.documents.queries import Query, create_indexes, missing_indexes
from infra.local.documents.tenant import SqliteTenantDocuments, Table
from infra.local.documents.writes import CRC
from infra.local.storage.engine import Engine
from shared.domain.ids import TenantId
from shared.ports.ambient import Clock
from shared.ports.document_limits import check_query
from shared.ports.documents import Index, Json, UndeclaredIndex

SCHEMA = (
    *former.SCHEMA,
    f"""CREATE TABLE IF NOT EXISTS packed (
        db TEXT NOT NULL, tenant TEXT NOT NULL, collection TEXT NOT NULL, id TEXT NOT NULL, keys TEXT,
        body NOT NULL, version INTEGER NOT NULL, expires_at INTEGER, crc INTEGER NOT NULL,
        PRIMARY KEY (db, tenant, collection, id), CHECK (crc = {CRC}))""",
    "CREATE INDEX IF NOT EXISTS packed_expiry ON packed (db, expires_at) WHERE expires_at IS NOT NULL",
)
PURGE_BATCH = 500
_PURGE = """DELETE FROM packed WHERE (db, tenant, collection, id) IN (
SELECT db, tenant, collection, id FROM packed INDEXED BY packed_expiry
WHERE db = ? AND expires_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?)"""


class SqliteDocuments:
    """One database of documents; `main` and `sealed` share the file and nothing else."""

    def __init__(
        self, engine: Engine, clock: Clock, indexes: Sequence[Index], database: Literal["main", "sealed"]
    ) -> None:
        queries = {index: Query(database, index) for index in indexes}
        self._shelf = Table(engine, clock, database, queries, indexed_fields(indexes))

    async def prepare(self) -> None:
        """Create the declared indexes, and take in what a release before kept; once, before any query."""
        shelf = self._shelf
        await shelf.engine.write(
            partial(_prepare, shelf.database, shelf.fields, list(shelf.queries.values()))
        )
        while await shelf.engine.write(partial(former.take_in, shelf.database, shelf.fields)):
            pass

    def tenant(self, tenant: TenantId) -> SqliteTenantDocuments:
        """Return the handle that all reads and writes of one tenant go through."""
        return SqliteTenantDocuments(self._shelf, TenantId(tenant))

    async def sweep(
        self, index: Index, equals: Mapping[str, Json], *, until: Json, limit: int = 100
    ) -> Sequence[tuple[TenantId, str]]:
        """Return (tenant, id) pairs across tenants, and nothing else of the documents."""
        query = self._shelf.query(index)
        if not index.swept:
            raise UndeclaredIndex(index)
        check_query(index, equals, until, limit)
        rows = self._shelf.read(
            query.across_tenants(bounded=until is not None),
            *query.parameters(equals, until),
            self._shelf.now(),
            limit,
        )
        return [(TenantId(tenant), id_) for tenant, id_ in rows]

    async def purge(self) -> int:
        """Remove the documents past their expiry, a batch to a commit, and return how many."""
        purged, batch = 0, PURGE_BATCH
        while batch == PURGE_BATCH:
            batch = await self._shelf.engine.write(partial(_purge, self._shelf.database, self._shelf.now()))
            purged += batch
        return purged


def _prepare(
    database: str, fields: Mapping[str, Fields], queries: list[Query], connection: sqlite3.Connection
) -> None:
    former.drop_indexes(connection)
    # What a new index reads was not copied out of older documents.
    for query in missing_indexes(connection, database, queries):
        former.copy_keys(connection, database, query.index.collection, fields)
    create_indexes(connection, database, queries)


def _purge(database: str, now: int, connection: sqlite3.Connection) -> int:
    return connection.execute(_PURGE, (database, now, PURGE_BATCH)).rowcount
