"""What the indexes read of a document, copied out of it: a packed text can be looked into by nobody."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from shared.ports.documents import Index, Json

Fields = tuple[str, ...]
"""The paths that some index of a collection reads: each is a column."""
Key = str | int | float | bytes | None
"""A value as its column keeps it."""
COLUMN: Final = "data."
"""What the name of such a column begins with."""
NO_VALUE: Final = "x'02'"
"""Whatever has a value sorts before this, and what has none at all compares with nothing."""
MOST_EXACT: Final = 1 << 53
"""Beyond it no integer is stored."""
_AS_THEY_ARE: Final = frozenset({str, int})
_SPELT: Final[Mapping[Json, bytes]] = {False: b"\x00", True: b"\x01", None: b"\x02"}


def indexed_fields(indexes: Iterable[Index]) -> Mapping[str, Fields]:
    """Return which fields of each collection are read by an index."""
    found: dict[str, set[str]] = {}
    for index in indexes:
        found.setdefault(index.collection, set()).update((*index.equals, index.order_by))
    return {collection: tuple(sorted(fields)) for collection, fields in found.items()}


def column_of(field: str) -> str:
    """Return the name of the column that keeps a field."""
    return f"{COLUMN}{field}"


def quoted(field: str) -> str:
    """Return that column as a statement names it."""
    return f'"{column_of(field)}"'


def keys_of(data: Mapping[str, Json], fields: Fields) -> list[Key]:
    """Return the values of these fields as their columns keep them; None for what has none."""
    # Most paths are one name, and most values are kept as they are.
    found = [_within(data, path) if "." in path else data.get(path, _ABSENT) for path in fields]
    return [value if type(value) in _AS_THEY_ARE else key_of(value) for value in found]


def key_of(value: Json) -> Key:
    """Return a value as its column keeps it: 1, true and "1" are three things there, 1 and 1.0 are one."""
    if value is _ABSENT:
        return None
    if value is None or isinstance(value, bool):
        return _SPELT[value]
    if isinstance(value, float):
        return int(value) if abs(value) < MOST_EXACT and value.is_integer() else float(value)
    return next((kind(value) for kind in _AS_THEY_ARE if isinstance(value, kind)), None)


_ABSENT: Final = object()


def _within(data: Any, path: str) -> Any:
    for name in path.split("."):
        data = data.get(name, _ABSENT) if isinstance(data, dict) else _ABSENT
    return data
