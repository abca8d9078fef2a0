"""A document as Firestore returned it: what it holds, how long it lives, and which version it is."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from shared.gcp.documents.form import BODY, EXPIRES, MARK, ORDER
from shared.ports.documents import Document, Ref

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SINCE = "~"


@dataclass(frozen=True, slots=True)
class Stored:
    """What a write needs to know of the document it found."""

    updated: Any
    expires_at: datetime | None
    mark: str

    @property
    def version(self) -> str:
        """The version of this state of the document."""
        return version(self.updated, self.expires_at)

    def lives(self, now: datetime) -> bool:
        """Whether it counts as existing: Firestore deletes the expired when it finds the time."""
        return self.expires_at is None or now < self.expires_at


def stored(document: Any) -> Stored:
    """Read what a write needs to know."""
    held = document.fields
    return Stored(document.update_time, _instant(held), held[MARK].string_value if MARK in held else "")


def read(ref: Ref, document: Any) -> Document:
    """Read the document itself."""
    return Document(ref, orjson.loads(document.fields[BODY].string_value), stored(document).version)


def placed(document: Any, order_by: str) -> tuple[bool, float, str]:
    """Return where a document stands in an index: numbers come before texts, as Firestore has them."""
    value = document.fields[ORDER].map_value.fields[order_by]
    if "string_value" in value:
        return True, 0, value.string_value
    return False, value.integer_value or value.double_value, ""


def version(updated: Any, expires_at: datetime | None) -> str:
    """Name a state by when it was written, and say when it ends.

    Firestore checks the first half. The second lets a write to an expired document be refused unread.
    """
    ends = "" if expires_at is None else f"{_SINCE}{(expires_at - EPOCH) // timedelta(microseconds=1)}"
    return f"{updated.rfc3339()}{ends}"


def unversioned(text: str, now: datetime) -> Any | None:
    """Return the update time a version names, or None if it names none or its document has expired."""
    from google.api_core.datetime_helpers import DatetimeWithNanoseconds

    written, expires, ends = text.partition(_SINCE)
    if expires and not (ends.isdecimal() and ends.isascii() and now < EPOCH + _micros(ends)):
        return None
    try:
        return DatetimeWithNanoseconds.from_rfc3339(written)
    except ValueError:
        return None


def _micros(text: str) -> timedelta:
    return timedelta(microseconds=int(text[:17]))


def _instant(held: Any) -> datetime | None:
    if EXPIRES not in held:
        return None
    instant = held[EXPIRES].timestamp_value
    return datetime(
        instant.year, instant.month, instant.day, instant.hour, instant.minute, instant.second,
        instant.microsecond, tzinfo=UTC,
    )  # fmt: skip
