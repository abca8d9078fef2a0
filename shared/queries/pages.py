"""Lists in pages: a cursor says where the page before ended, and stays good while things come and go.

A cursor is the place in an index of the last document of a page, so that what was added or ended meanwhile
neither repeats nor hides anything. It names nothing that its caller has not seen, and opens nothing: whose
documents are read is said beside it.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from shared.domain.errors import InvalidInput
from shared.ledger.reading import standing_at
from shared.ports.document_limits import check_ref, place_of
from shared.ports.documents import Document, Index, TenantDocuments

LONGEST: Final = 400


@dataclass(frozen=True, slots=True)
class Page:
    """Some documents, and the cursor of the next page if there may be one."""

    documents: Sequence[Document]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page begins, and how much it holds."""

    cursor: str | None = None
    limit: int = 50


async def page_of(
    store: TenantDocuments, index: Index, equals: Mapping[str, Any], place: Place, until: Any = None
) -> Page:
    """Return a page of what an index holds."""
    after = None if place.cursor is None else _document(index, place.cursor)
    found = await store.query(index, equals, until=until, after=after, limit=place.limit)
    more = len(found) == place.limit
    return Page(found, cursor_of(index, found[-1]) if more else None)


def cursor_of(index: Index, document: Document) -> str:
    """Return the cursor of what comes after a document."""
    place = orjson.dumps(place_of(index, document))
    return base64.urlsafe_b64encode(place).rstrip(b"=").decode()


def _document(index: Index, cursor: str) -> Document:
    try:
        value, id_ = orjson.loads(_decoded(cursor))
        document = _standing(index, value, id_)
        check_ref(document.ref)
        place_of(index, document)
    except (ValueError, TypeError, InvalidInput):
        remedy = "give the cursor as the page before gave it, with the same filters"
        raise InvalidInput("cursor", "none of this list", remedy) from None
    return document


def _decoded(cursor: str) -> bytes:
    if len(cursor) > LONGEST:
        raise ValueError(cursor[:1])
    return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)


def _standing(index: Index, value: Any, id_: Any) -> Document:
    if not isinstance(id_, str) or not isinstance(value, int | str) or abs(_size(value)) >= 1 << 53:
        raise ValueError("no place")
    return standing_at(index, value, id_)


def _size(value: int | str) -> int:
    return len(value) if isinstance(value, str) else value
