"""How a document is kept: its JSON as one text, and beside it only what is asked for.

Firestore's own maps refuse empty names, lists in lists and, with those wrapped, twenty levels; they index
every leaf, 40,000 at most, and count their bytes in a way of their own. One text reads back byte for byte,
costs no index entry, and keeps to the same limits on both platforms. What declared indexes need is copied out
of it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.ports.documents import Index, Json, shard_of

BODY, EQUAL, ORDER, EXPIRES, MARK = "body", "equal", "order", "expires_at", "mark"
MOST_COPIED: Final = 16 * 1024
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Form:
    """Which fields of a collection's documents are copied out, for equality and for order."""

    equal: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    shards: tuple[tuple[str, int], ...] = ()
    """The fields by which documents are swept in shards, and in how many."""

    def copies(self, id_: str, data: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
        """Return what is copied out of a document, with the shards that it falls into."""
        equal = {field: value for field, value in _found(data, self.equal) if _has_equals(value)}
        order = {field: value for field, value in _found(data, self.order) if _has_order(value)}
        in_shards = {shard_field(field): shard_of(id_, of) for field, of in self.shards if field in order}
        return {**equal, **in_shards}, order


def forms(indexes: Iterable[Index]) -> dict[str, Form]:
    """Return each indexed collection's form."""
    declared = list(indexes)
    return {
        collection: Form(
            tuple(sorted({name for index in of for name in index.equals})),
            tuple(sorted({index.order_by for index in of})),
            tuple(sorted({(index.order_by, index.shards) for index in of if index.shards > 1})),
        )
        for collection in sorted({index.collection for index in declared})
        if (of := [index for index in declared if index.collection == collection])
    }


def shard_field(order_by: str) -> str:
    """Return the copied field that says in which shard of a sweep a document is."""
    return f"{order_by}.shard"


def copied_bytes(*copies: Mapping[str, Json]) -> int:
    """Return about how much room the copies take; refuse more than the limit leaves beside a document."""
    size = sum(len(name) + _size(value) for copy in copies for name, value in copy.items())
    if size > MOST_COPIED:
        raise InvalidInput(
            "data", f"more than {MOST_COPIED} bytes in indexed fields", "Index something short"
        )
    return size


def value(of: Json | datetime) -> Any:
    """Return a scalar as Firestore's own."""
    from google.cloud.firestore_v1.types import Value

    if of is None:
        return Value(null_value=0)
    kind = next(name for type_, name in _KINDS if isinstance(of, type_))
    return Value(**{kind: of})


def fields(body: str, equal: Mapping[str, Json], order: Mapping[str, Json], mark: str) -> dict[str, Any]:
    """Return the fields of a kept document, but for its expiry."""
    from google.cloud.firestore_v1.types import MapValue, Value

    maps = {name: MapValue(fields={key: value(of) for key, of in copy.items()})
            for name, copy in ((EQUAL, equal), (ORDER, order))}  # fmt: skip
    return {
        BODY: value(body),
        MARK: value(mark),
        **{name: Value(map_value=copy) for name, copy in maps.items()},
    }


_KINDS: Final = (
    (bool, "boolean_value"),
    (int, "integer_value"),
    (float, "double_value"),
    (str, "string_value"),
    (datetime, "timestamp_value"),
)


def _found(data: Mapping[str, Json], paths: Iterable[str]) -> Iterable[tuple[str, Json]]:
    return ((path, found) for path in paths if (found := _at(data, path)) is not _ABSENT)


def _at(data: Json, path: str) -> Any:
    for name in path.split("."):
        if not isinstance(data, dict) or name not in data:
            return _ABSENT
        data = data[name]
    return data


def _has_equals(value: Json) -> bool:
    # No floats: Firestore finds 1.0 equal to 1, and we ask for integers only.
    return value is None or isinstance(value, str | int)


def _has_order(value: Json) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _size(value: Json) -> int:
    return len(value.encode()) if isinstance(value, str) else 8
