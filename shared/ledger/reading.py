"""Reading back what we stored: where we cannot, it is not the sender who is wrong."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, TypeVar

from shared.domain.documents import from_document
from shared.domain.errors import InvalidInput
from shared.domain.stored import Documented
from shared.ports.documents import Document, Index, Ref
from shared.streams.record import Record

D = TypeVar("D", bound=Documented)
R = TypeVar("R", bound=Record)
_REMEDY: Final = "deploy the release that wrote it, or mend it"


class StoredUnreadable(Exception):
    """A document of ours that this release cannot read: the work waits for one that can."""


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
