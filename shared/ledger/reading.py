"""Reading back what we stored: where we cannot, it is not the sender who is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from shared.domain.errors import InvalidInput, UnknownSchemaVersion
from shared.ports.documents import Document

_REMEDY: Final = "deploy the release that wrote it, or mend it"


class StoredUnreadable(Exception):
    """A document of ours that this release cannot read: the work waits for one that can."""


@contextmanager
def reading(found: Document) -> Iterator[None]:
    """Tell a document that cannot be read from a message that cannot be accepted."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        said = f"{error.field}: {error.problem}" if isinstance(error, InvalidInput) else "a field is missing"
        raise StoredUnreadable(f"{found.ref}: {said}. {_REMEDY}") from None


def check_version(found: Document, version: int) -> None:
    """Refuse a document of another schema version."""
    if found.data.get("schema_version") != version:
        raise UnknownSchemaVersion("schema_version", "unknown or missing", _REMEDY)
