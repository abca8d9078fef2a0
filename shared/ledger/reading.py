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
def reading(found: Document, version: int | None = None) -> Iterator[None]:
    """Tell a document that cannot be read, or is of another version, from a message that is refused."""
    try:
        if version is not None:
            _check_version(found, version)
        yield
    except (ValueError, KeyError, TypeError) as error:
        said = f"{error.field}: {error.problem}" if isinstance(error, InvalidInput) else "a field is missing"
        raise StoredUnreadable(f"{found.ref}: {said}. {_REMEDY}") from None


def _check_version(found: Document, version: int) -> None:
    if found.data.get("schema_version") != version:
        raise UnknownSchemaVersion("schema_version", "unknown or missing", _REMEDY)
