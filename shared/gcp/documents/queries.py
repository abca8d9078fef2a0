"""Queries by declared index: equality, then order and range, page by page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared.gcp.documents.form import EQUAL, EXPIRES, ORDER, shard_field, value
from shared.gcp.documents.names import path_of
from shared.ports.documents import Index, Json


@dataclass(frozen=True, slots=True)
class Query:
    """One question to one index, of a tenant's documents or across all."""

    index: Index
    equals: Mapping[str, Json]
    until: Json
    across: bool = False
    shard: int | None = None
    since: Json = None
    start: tuple[Json, str] | None = None
    """The value and the name of the document that the first page follows."""

    def page(self, limit: int, after: Any | None) -> Any:
        """Return the structured query of the documents that follow `after`, or else the start."""
        from google.cloud.firestore_v1.types import StructuredQuery

        ordered = [_field(path_of(ORDER, self.index.order_by)), _field("__name__")]
        query = StructuredQuery(
            from_=[{"collection_id": self.index.collection, "all_descendants": self.across}],
            order_by=[StructuredQuery.Order(field=field, direction="ASCENDING") for field in ordered],
            limit=limit,
        )
        if filters := self._filters():
            query.where = {"composite_filter": {"op": "AND", "filters": filters}}
        if self.across:
            # Nothing of another tenant's document but its name, and what the next page needs.
            query.select = {"fields": [*ordered, _field(EXPIRES)]}
        if cursor := self._cursor(after):
            query.start_at = {"values": cursor, "before": False}
        return query

    def _filters(self) -> list[Any]:
        filters = [_equal(path_of(EQUAL, field), self.equals[field]) for field in self.index.equals]
        if self.shard is not None:
            filters.append(_equal(path_of(EQUAL, shard_field(self.index.order_by)), self.shard))
        bounds = {"GREATER_THAN_OR_EQUAL": self.since, "LESS_THAN_OR_EQUAL": self.until}
        within = path_of(ORDER, self.index.order_by)
        filters += [_compared(within, how, to) for how, to in bounds.items() if to is not None]
        return filters

    def _cursor(self, after: Any | None) -> list[Any]:
        from google.cloud.firestore_v1.types import Value

        if after is not None:
            last = after.fields[ORDER].map_value.fields[self.index.order_by]
            return [last, Value(reference_value=after.name)]
        if self.start is not None:
            return [value(self.start[0]), Value(reference_value=self.start[1])]
        return []


def _equal(path: str, to: Json) -> Any:
    if to is None:
        return {"unary_filter": {"op": "IS_NULL", "field": _field(path)}}
    return _compared(path, "EQUAL", to)


def _compared(path: str, how: str, to: Json) -> Any:
    return {"field_filter": {"field": _field(path), "op": how, "value": value(to)}}


def _field(path: str) -> dict[str, str]:
    return {"field_path": path}
