"""Reading back what we stored: where we cannot, it is not the sender who is wrong.

A record that was read and has not changed since is not taken apart again: whoever reads it gets the same
value, for records are frozen. It is the same where its place, its version and all that it says are the same
(decision 0223).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, TypeVar, cast

from shared.domain.documents import from_document
from shared.domain.errors import InvalidInput
from shared.domain.stored import Documented
from shared.ports.document_limits import MOST_RESULTS
from shared.ports.documents import Document, Index, Ref, StoredUnreadable, TenantDocuments
from shared.streams.record import Record

D = TypeVar("D", bound=Documented)
R = TypeVar("R", bound=Record)
_REMEDY: Final = "deploy the release that wrote it, or mend it"
MOST_KEPT: Final = 4096
"""So many records of one process are not taken apart again; of more, those that came first give way."""
_before: Final[dict[tuple[type[Record], Ref], tuple[Mapping[str, Any], str, Record]]] = {}


def reading(found: Document) -> AbstractContextManager[None]:
    """Tell a document that cannot be read, or is of another version, from a message that is refused."""
    return reading_at(found.ref)


@contextmanager
def reading_at(ref: Ref) -> Iterator[None]:
    """Do so by where the document is kept."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        said = f"{error.field}: {error.problem}" if isinstance(error, InvalidInput) else "a field is missing"
        raise StoredUnreadable(f"{ref}: {said}. {_REMEDY}") from None


def read_stored(kind: type[D], found: Document) -> D:
    """Return what a document of ours says."""
    with reading(found):
        return from_document(kind, found.data)


def read_record(kind: type[R], found: Document) -> R:
    """Return what a document says that we change, at the version in which it was found."""
    return read_once(kind, found, read_anew)


def read_once(kind: type[R], found: Document, read: Callable[[type[R], Document], R]) -> R:
    """Return what was read of a document before, if it is as it was then; else read it."""
    place = kind, found.ref
    known = _before.get(place)
    if known is not None and known[1] == found.version and known[0] == found.data:
        return cast("R", known[2])
    _before.pop(place, None)
    _before[place] = found.data, found.version, (record := read(kind, found))
    if len(_before) > MOST_KEPT:
        del _before[next(iter(_before))]
    return record


def read_anew(kind: type[R], found: Document) -> R:
    """Take a document apart."""
    with reading(found):
        return from_document(kind, found.data).as_found(found.version)


def from_value(index: Index, value: Any) -> Document:
    """Return what stands in an index before everything of a value."""
    return standing_at(index, value, "0")


def standing_at(index: Index, value: Any, id_: str) -> Document:
    """Return what stands at a place in an index, as the last of a page that is read already."""
    data: Any = value
    for name in reversed(index.order_by.split(".")):
        data = {name: data}
    return Document(Ref(index.collection, id_), data, "")


async def all_of(store: TenantDocuments, refs: Sequence[Ref]) -> list[Document | None]:
    """Return each of some documents, or None, as many to a reading as it gives."""
    parts = [refs[at : at + MOST_RESULTS] for at in range(0, len(refs), MOST_RESULTS)]
    return [found for part in parts for found in await store.get_all(part)]
