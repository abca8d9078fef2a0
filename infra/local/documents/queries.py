"""Declared indexes as partial indexes of SQLite, and the statements that read them."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from infra.local.documents.drawers import ALIVE, name_of
from infra.local.documents.keys import NO_VALUE, Key, key_of, quoted
from shared.ports.document_limits import check_index
from shared.ports.documents import Index, Json

_DECLARED = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name <> 'documents' "
    "AND substr(name, 1, ?) = ?"
)
_BEFORE_ALL_NUMBERS = float("-inf")


class Query:
    """One declared index: the statements that create it and read through it."""

    def __init__(self, database: str, index: Index) -> None:
        check_index(index)
        self.index, self._database = index, database
        self._table = f'"{name_of(database, index.collection)}"'
        self._order = quoted(index.order_by)
        self._equal = [quoted(field) for field in index.equals]
        self._statements: dict[tuple[bool, bool], str] = {}
        self._across: dict[bool, str] = {}
        # What has none of the fields that are asked for is never an answer: most guests' keys are of no job.
        asked = [f"{field} IS NOT NULL" for field in self._equal]
        # The plus keeps SQLite from taking this for the bound up to which it walks an index.
        self._within = " AND ".join((*asked, f"+{self._order} < {NO_VALUE}"))

    def definitions(self) -> dict[str, str]:
        """Return the statements that create what this query reads, by index name."""
        keys = {}
        if self.index.shards == 1:
            keys[self._name("of")] = ["tenant", *self._equal, self._order]
        if self.index.swept:
            # One writer on one file: here no place is too hot for all shards to lie in one order.
            keys[self._name("across")] = [*self._equal, self._order, "tenant", "id", "expires_at"]
        return {
            name: f'CREATE INDEX "{name}" ON {self._table} ({", ".join(key)}) WHERE {self._within}'
            for name, key in keys.items()
        }

    def of_tenant(self, *, bounded: bool, resumed: bool) -> str:
        """Return the statement that reads one tenant's documents, from the first or from beyond a value."""
        known = self._statements.get((bounded, resumed))
        if known is None:
            known = self._statements[bounded, resumed] = self._of_tenant(bounded, resumed)
        return known

    def _of_tenant(self, bounded: bool, resumed: bool) -> str:
        beyond = [f"{self._order} > ?"] if resumed else []
        conditions = ["tenant = ?", *self._conditions(bounded=bounded), *beyond]
        return self._statement("id, body, version", "of", f"{self._order}, id", conditions)

    def ties_of_tenant(self) -> str:
        """Return the statement that reads one tenant's documents of one value, from beyond an id.

        Asked for together with what lies beyond the value, SQLite passes by all of it: a day has a million.
        """
        conditions = ["tenant = ?", *self._conditions(bounded=False), f"{self._order} = ?", "id > ?"]
        return self._statement("id, body, version", "of", "id", conditions)

    def across_tenants(self, *, bounded: bool) -> str:
        """Return the statement that reads which documents of which tenants are meant."""
        if bounded not in self._across:
            in_order = f"{self._order}, tenant, id"
            conditions = self._conditions(bounded=bounded)
            self._across[bounded] = self._statement("tenant, id", "across", in_order, conditions)
        return self._across[bounded]

    def parameters(
        self,
        equals: Mapping[str, Json],
        until: Json,
        after: tuple[Json, str] | None = None,
        since: Json = None,
    ) -> list[Any]:
        """Return what fills the statement's holes between the tenant and the present instant."""
        values: list[Any] = self._equals(equals)
        if until is not None:
            # Texts are compared with texts and numbers with numbers, as Firestore does.
            lowest: Json = "" if isinstance(until, str) else _BEFORE_ALL_NUMBERS
            values += [lowest if since is None else since, until]
        return values if after is None else [*values, after[0]]

    def ties(self, equals: Mapping[str, Json], after: tuple[Json, str]) -> list[Any]:
        """Return what fills the holes of that for ties between the tenant and the present instant."""
        return [*self._equals(equals), *after]

    def _equals(self, equals: Mapping[str, Json]) -> list[Key]:
        return [key_of(equals[field]) for field in self.index.equals]

    def _name(self, scope: str) -> str:
        return f"{self._database} {scope} {self.index.name}"

    def _conditions(self, *, bounded: bool) -> list[str]:
        range_ = [f"{self._order} BETWEEN ? AND ?"] if bounded else []
        return [*(f"{field} = ?" for field in self._equal), *range_]

    def _statement(self, columns: str, scope: str, in_order: str, conditions: Sequence[str]) -> str:
        # Every name in here was checked by check_index.
        return (
            f'SELECT {columns} FROM {self._table} INDEXED BY "{self._name(scope)}" '  # noqa: S608
            f"WHERE {' AND '.join((self._within, *conditions, ALIVE))} ORDER BY {in_order} LIMIT ?"
        )


def reaches(until: Json, value: Json) -> bool:
    """Say whether a value lies within a bound; numbers lie before all texts, and within none."""
    return until is None or (isinstance(until, str) is isinstance(value, str) and value <= until)


def new_collections(connection: sqlite3.Connection, database: str, queries: Sequence[Query]) -> set[str]:
    """Return the collections that are read through an index which the file has not."""
    found = _found(connection, database).keys()
    return {query.index.collection for query in queries if not query.definitions().keys() <= found}


def create_indexes(connection: sqlite3.Connection, database: str, queries: Sequence[Query]) -> None:
    """Create the indexes that are missing and drop those no longer declared."""
    wanted = {name: statement for query in queries for name, statement in query.definitions().items()}
    found = _found(connection, database)
    for name, _ in sorted(found.items() - wanted.items()):
        connection.execute(f'DROP INDEX "{name}"')
    for _, statement in sorted(wanted.items() - found.items()):
        connection.execute(statement)


def _found(connection: sqlite3.Connection, database: str) -> dict[str, str]:
    return dict(connection.execute(_DECLARED, (len(database) + 1, f"{database} ")).fetchall())
