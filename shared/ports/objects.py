"""Objects: what is written once and must outlast its writers. Anchors, witnesses, exports, copies of logs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from shared.domain.errors import InvalidInput

MOST_OBJECT_BYTES: Final = 4_000_000
MOST_LISTED: Final = 1000
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._=-]{0,127}(/[a-z0-9][a-z0-9._=-]{0,127}){0,9}")


@dataclass(frozen=True, slots=True)
class StoredObject:
    """What was written, and until when nobody can take it away."""

    name: str
    data: bytes = field(repr=False)
    kept_until: datetime


class ObjectExists(Exception):
    """Something else is kept under the name: nothing was written."""


class ObjectKept(Exception):
    """The object's time has not come: it was not removed."""


class Objects(Protocol):
    """Objects that are written once, by name."""

    async def add(self, name: str, data: bytes, kept_until: datetime) -> None:
        """Write an object, durably; the same bytes under the same name again change nothing.

        Other bytes raise ObjectExists. Until `kept_until` nobody removes or replaces it.
        """

    async def read(self, name: str) -> StoredObject | None:
        """Return the object, or None."""

    async def listed(self, prefix: str = "", *, after: str = "", limit: int = 100) -> Sequence[str]:
        """Return the names that begin so, in order, from beyond the name `after`."""

    async def remove(self, name: str) -> None:
        """Remove the object, or raise ObjectKept; one that is not there is removed already."""


def check_name(name: str) -> None:
    """Refuse a name that not every store can hold."""
    if not _NAME.fullmatch(name):
        remedy = "Use words of small letters, digits and . _ = -, joined by /, ten at most"
        raise InvalidInput("name", "malformed", remedy)


def check_object(name: str, data: bytes, kept_until: datetime) -> None:
    """Refuse what not every store can hold."""
    check_name(name)
    if len(data) > MOST_OBJECT_BYTES:
        raise InvalidInput("data", f"more than {MOST_OBJECT_BYTES} bytes", "Write it in several objects")
    if kept_until.tzinfo is None:
        raise InvalidInput("kept_until", "without a zone", "Give an aware instant")


def check_page(limit: int) -> None:
    """Refuse a page that not every store can give."""
    if not 1 <= limit <= MOST_LISTED:
        raise InvalidInput("limit", f"not within 1 and {MOST_LISTED}", "Ask in several parts")
