"""What every document store accepts: what Firestore and SQLite both can hold, checked before either."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import isfinite
from typing import Any, Final

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.stored import Plain
from shared.ports.documents import Document, Index, Json, Ref, UndeclaredIndex, Write

MOST_WRITES: Final = 500
MOST_DOCUMENT_BYTES: Final = 1_000_000
MOST_COMMIT_BYTES: Final = 10_000_000
"""Firestore takes one and ten mebibytes: the difference is for names, and for what is copied for indexes."""
MOST_LEVELS: Final = 20
MOST_RESULTS: Final = 1000
_COLLECTION: Final = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z._:~@=|+-]{0,254}")
_FIELD: Final = re.compile(r"[A-Za-z][0-9A-Za-z_]{0,62}(\.[A-Za-z][0-9A-Za-z_]{0,62}){0,5}")
_NESTING: Final = (dict, list)
_ENCODING: Final = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)


class TooLarge(InvalidInput):
    """More than a store takes at once: whoever wrote it is wrong, and not what they were told."""


def encode(data: Mapping[str, Json]) -> bytes:
    """Return the document as JSON with sorted keys; refuse what would not be read back as it is."""
    if not isinstance(data, dict):
        raise InvalidInput("data", f"a {type(data).__name__}", "Give a dict of JSON values")
    try:
        body = orjson.dumps(data, option=_ENCODING)
    except TypeError:
        _check_levels(data)
        raise _why_not_json(data) from None
    if type(data) is not Plain:
        _check_read_back(data, body)
    if len(body) > MOST_DOCUMENT_BYTES:
        raise TooLarge("data", f"more than {MOST_DOCUMENT_BYTES} bytes of JSON", "Split the document")
    return body


def _check_read_back(data: dict[str, Json], body: bytes) -> None:
    if _deepest(body) > MOST_LEVELS:  # else it cannot be too deep
        _check_levels(data)
    if orjson.loads(body) != data:
        raise _why_not_json(data)


def check_ref(ref: Ref) -> None:
    """Refuse a collection or id that not every store can hold."""
    if not _names_collection(ref.collection):
        raise InvalidInput(
            "collection", "malformed", "Start with a small letter; at most 63 of a-z, 0-9, '_' and '-'"
        )
    if not _ID.fullmatch(ref.id):
        remedy = "Start with a letter or digit; at most 255 of letters, digits and . _ : ~ @ = | + -"
        raise InvalidInput(f"id in {ref.collection}", "malformed", remedy)


@lru_cache(1024)
def _names_collection(name: str) -> bool:
    return _COLLECTION.fullmatch(name) is not None


def check_refs(refs: Sequence[Ref]) -> None:
    """Refuse to read more at once than every store gives."""
    if len(refs) > MOST_RESULTS:
        raise TooLarge("refs", f"more than {MOST_RESULTS}", "Read them in several parts")
    for ref in refs:
        check_ref(ref)


def check_writes(writes: Sequence[Write]) -> None:
    """Refuse a commit that is too long or writes one document twice."""
    if len(writes) > MOST_WRITES:
        raise TooLarge("writes", f"more than {MOST_WRITES}", "Commit them in several batches")
    seen: set[Ref] = set()
    for write in writes:
        check_ref(write.ref)
        if write.ref in seen:
            raise InvalidInput("writes", f"{write.ref} is written twice", "Make one write of the two")
        seen.add(write.ref)


def check_commit_bytes(size: int) -> None:
    """Refuse a commit whose documents together are too large."""
    if size > MOST_COMMIT_BYTES:
        raise TooLarge("writes", f"more than {MOST_COMMIT_BYTES} bytes", "Commit them in several batches")


def check_index(index: Index) -> None:
    """Refuse an index over anything but plain names: they become part of a statement."""
    if not _COLLECTION.fullmatch(index.collection):
        raise InvalidInput("index.collection", "malformed", "Name a collection")
    if index.shards < 1 or (index.shards > 1 and not index.swept):
        raise InvalidInput(
            "index.shards", "not swept, or fewer than one", "Only what is swept lies in shards"
        )
    for field in (*index.equals, index.order_by):
        if not _FIELD.fullmatch(field):
            raise InvalidInput(
                "index", "a malformed field", "Use names of letters, digits and '_', joined by dots"
            )


def check_of_tenant(index: Index) -> None:
    """Refuse one tenant's query over an index that lies in shards: stores keep it for sweeps alone."""
    if index.shards > 1:
        raise UndeclaredIndex(index)


def check_query(
    index: Index, equals: Mapping[str, Json], until: Json, limit: int, since: Json = None
) -> None:
    """Refuse a query that does not fit its index, or whose answer stores would disagree on."""
    if equals.keys() != set(index.equals):
        raise InvalidInput("equals", f"does not fit {index.name}", "Give a value for each of its fields")
    for field, value in equals.items():
        if isinstance(value, float) or _leaf_fault(value):
            raise InvalidInput(f"equals.{field}", "not comparable", "Give a text, an integer, a bool or None")
    if isinstance(until, bool) or _leaf_fault(until):
        raise InvalidInput("until", "not ordered", "Give a text or a number")
    if since is not None and not _between(since, until):
        raise InvalidInput("since", "not ordered with until", "Give two texts, or two numbers")
    if not 1 <= limit <= MOST_RESULTS:
        raise InvalidInput("limit", f"not within 1 and {MOST_RESULTS}", "Ask in several parts")


def _between(since: Json, until: Json) -> bool:
    return not _leaf_fault(since) and {isinstance(each, str) for each in (since, until)} in ({True}, {False})


def place_of(index: Index, document: Document) -> tuple[Json, str]:
    """Return where a document stands in an index, its value there and its id; or refuse one that is not."""
    value: Json = document.data
    for name in index.order_by.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    ordered = isinstance(value, str | int | float) and not isinstance(value, bool)
    if not ordered or document.ref.collection != index.collection:
        raise InvalidInput("after", f"not in {index.name}", "Give the last document of the page before")
    return value, document.ref.id


def _deepest(body: bytes) -> int:
    """Return how many levels a document has at most: each but the last is opened, and holds something."""
    opened = body.count(b"{") + body.count(b"[")
    if opened <= MOST_LEVELS:
        return opened
    return opened - body.count(b"{}") - body.count(b"[]") + 1


def _check_levels(data: Mapping[str, Json]) -> None:
    level: list[Any] = [data]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in _children(node) if isinstance(child, _NESTING)]
        if not level:
            return
    raise InvalidInput("data", f"nested more than {MOST_LEVELS} levels deep", "Flatten the document")


def _children(node: Any) -> Any:
    return node.values() if isinstance(node, dict) else node


def _why_not_json(data: dict[str, Json]) -> InvalidInput:
    path, problem = next(_faults("data", data), ("data", "not JSON"))
    return InvalidInput(path, problem, "Store only dict, list, str, int, float, bool and None")


def _faults(path: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield from (
                _faults(f"{path}.{key}", child) if isinstance(key, str) else [(path, "a key is not text")]
            )
    elif isinstance(value, list):
        for place, child in enumerate(value):
            yield from _faults(f"{path}[{place}]", child)
    elif problem := _leaf_fault(value):
        yield path, problem


def _leaf_fault(value: object) -> str:
    if isinstance(value, float):
        return "" if isfinite(value) else "not a finite number"
    if isinstance(value, str):
        return (
            "" if value.isascii() or value.encode(errors="replace").decode() == value else "not valid Unicode"
        )
    if isinstance(value, int):
        return "" if abs(value) < 1 << 53 else "an integer of more than 53 bits"
    return "" if value is None else f"a {type(value).__name__}"
