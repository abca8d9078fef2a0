"""What the indexes read of a document, copied out of it: a packed text can be looked into by nobody."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import orjson

from shared.ports.documents import Index, Json

Fields = tuple[str, ...]
"""The paths that some index of a collection reads."""
_SCALARS: Final = (str, int, float, bool, type(None))
_USUAL: Final = frozenset(_SCALARS)


def indexed_fields(indexes: Iterable[Index]) -> Mapping[str, Fields]:
    """Return which fields of each collection are read by an index."""
    found: dict[str, set[str]] = {}
    for index in indexes:
        found.setdefault(index.collection, set()).update((*index.equals, index.order_by))
    return {collection: tuple(sorted(fields)) for collection, fields in found.items()}


def keys_of(data: Mapping[str, Json], fields: Fields) -> str | None:
    """Return the values of these fields, each under its whole path; None where there are none."""
    found: dict[str, Json] = {}
    for path in fields:
        # Most paths are one name, and what is written has just been checked to be plain JSON.
        value = _within(data, path) if "." in path else data.get(path, _ABSENT)
        if type(value) in _USUAL or isinstance(value, _SCALARS):
            found[path] = value
    return orjson.dumps(found).decode() if found else None


def path_of(field: str) -> str:
    """Return where a field's value stands among the keys, as SQLite's functions name it."""
    return f"'$.\"{field}\"'"


_ABSENT: Final = object()


def _within(data: Any, path: str) -> Any:
    for name in path.split("."):
        data = data.get(name, _ABSENT) if isinstance(data, dict) else _ABSENT
    return data
