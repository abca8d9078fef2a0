"""Declared indexes as partial expression indexes of SQLite, and the statements that read them."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from infra.local.documents.keys import path_of
from shared.ports.document_limits import check_index
from shared.ports.documents import Index, Json

ALIVE = "(expires_at IS NULL OR expires_at > ?)"
DOCUMENTS = "packed INDEXED BY sqlite_autoindex_packed_1"
"""The table by its primary key. Left to itself, SQLite compares what is bound with the conditions of the
partial indexes, and plans the statement anew whenever another value is bound: ten times the work."""
_EXISTING = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'packed' "
    "AND substr(name, 1, ?) = ?"
)
_BEFORE_ALL_NUMBERS = float("-inf")


class Query:
    """One declared index: the statements that create it and read through it."""

    def __init__(self, database: str, index: Index) -> None:
        check_index(index)
        self.index, self._database = index, database
        self._order = f"json_extract(keys, {path_of(index.order_by)})"
        self._equal = [f"keys -> {path_of(field)}" for field in index.equals]
        self._within = (
            f"db = '{database}' AND collection = '{index.collection}' AND {self._order} IS NOT NULL"
        )

    def definitions(self) -> dict[str, str]:
        """Return the statements that create what this query reads, by index name."""
        keys = {}
        if self.index.shards == 1:
            keys[self._name("of")] = ["tenant", *self._equal, self._order, "id", "expires_at"]
        if self.index.swept:
            # One writer on one file: here no place is too hot for all shards to lie in one order.
            keys[self._name("across")] = [*self._equal, self._order, "tenant", "id", "expires_at"]
        return {
            name: f'CREATE INDEX "{name}" ON packed ({", ".join(key)}) WHERE {self._within}'
            for name, key in keys.items()
        }

    def of_tenant(self, *, bounded: bool, resumed: bool) -> str:
        """Return the statement that reads one tenant's documents, from the first or from beyond a place."""
        # The index is entered by the first of the two; the other knows the ties.
        beyond = [f"{self._order} >= ?", f"({self._order}, id) > (?, ?)"] if resumed else []
        conditions = ["tenant = ?", *self._conditions(bounded=bounded), *beyond]
        return self._statement("id, body, version", "of", "id", conditions)

    def across_tenants(self, *, bounded: bool) -> str:
        """Return the statement that reads which documents of which tenants are meant."""
        return self._statement("tenant, id", "across", "tenant, id", self._conditions(bounded=bounded))

    def parameters(
        self, equals: Mapping[str, Json], until: Json, after: tuple[Json, str] | None = None
    ) -> list[Any]:
        """Return what fills the statement's holes between the tenant and the present instant."""
        # Equality compares the JSON text, so that 1, true and "1" stay three things.
        values: list[Any] = [orjson.dumps(equals[field]).decode() for field in self.index.equals]
        if until is not None:
            # Texts are compared with texts and numbers with numbers, as Firestore does.
            values += ["" if isinstance(until, str) else _BEFORE_ALL_NUMBERS, until]
        if after is not None:
            values += [after[0], *after]
        return values

    def _name(self, scope: str) -> str:
        return f"{self._database} {scope} {self.index.name}"

    def _conditions(self, *, bounded: bool) -> list[str]:
        range_ = [f"{self._order} BETWEEN ? AND ?"] if bounded else []
        return [*(f"{field} = ?" for field in self._equal), *range_]

    def _statement(self, columns: str, scope: str, ties: str, conditions: Sequence[str]) -> str:
        # Every name in here was checked by check_index.
        return (
            f'SELECT {columns} FROM packed INDEXED BY "{self._name(scope)}" '  # noqa: S608
            f"WHERE {' AND '.join((self._within, *conditions, ALIVE))} ORDER BY {self._order}, {ties} LIMIT ?"
        )


def missing_indexes(connection: sqlite3.Connection, database: str, queries: Sequence[Query]) -> list[Query]:
    """Return the queries that the file has not all indexes for."""
    found = _found(connection, database)
    return [query for query in queries if not query.definitions().items() <= found.items()]


def create_indexes(connection: sqlite3.Connection, database: str, queries: Sequence[Query]) -> None:
    """Create the indexes that are missing and drop those no longer declared."""
    wanted = {name: statement for query in queries for name, statement in query.definitions().items()}
    found = _found(connection, database)
    for name, _ in sorted(found.items() - wanted.items()):
        connection.execute(f'DROP INDEX "{name}"')
    for _, statement in sorted(wanted.items() - found.items()):
        connection.execute(statement)


def _found(connection: sqlite3.Connection, database: str) -> dict[str, str]:
    return dict(connection.execute(_EXISTING, (len(database) + 1, f"{database} ")).fetchall())
