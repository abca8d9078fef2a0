"""Instants: always aware, always UTC, one spelling in text, and one number that indexes order."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Final

from shared.domain.errors import InvalidInput

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = 86_400_000
"""Milliseconds."""
MOST_REMEMBERED: Final = 512
"""So many instants are not spelt anew: those of the keys that are under way."""
Moment = Annotated[datetime, "milliseconds"]
"""An instant that is stored as indexes order it."""


def utc(value: datetime, field: str) -> datetime:
    """Return the instant in UTC; a time without a zone is refused, because nobody can know what it means."""
    if value.tzinfo is UTC:
        return value
    if value.utcoffset() is None:
        raise InvalidInput(
            field, "the time has no zone", "Give an instant with an offset, such as one in UTC"
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, "outside the calendar", "Give an instant of the years 1 to 9999") from None


def instant_to_text(value: datetime) -> str:
    """Write an instant as ISO 8601 ending in Z."""
    return _spelt(utc(value, "instant"))


@lru_cache(MOST_REMEMBERED)
def _spelt(value: datetime) -> str:
    """Write what is in UTC already; a stay's instants are written a dozen times in a row.

    By a wall clock, the two hours of the night that sets it back are equal: one would pass for the other.
    """
    since = value - _EPOCH
    whole = _second(since.days, since.seconds)
    return f"{whole}.{since.microseconds:06}Z" if since.microseconds else f"{whole}Z"


@lru_cache(MOST_REMEMBERED)
def _second(days: int, seconds: int) -> str:
    """Write a second, of whose instants many are written while a key is made."""
    return (_EPOCH + timedelta(days, seconds)).isoformat().removesuffix("+00:00")


def instant_from_text(value: object, field: str) -> datetime:
    """Read an ISO 8601 instant with an offset."""
    if not isinstance(value, str):
        raise InvalidInput(field, "not a text", "Write an instant as 2026-05-01T14:00:00Z")
    try:
        return utc(datetime.fromisoformat(value), field)
    except ValueError as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(field, "not an instant", "Write it as 2026-05-01T14:00:00Z") from None


def milliseconds(at: datetime) -> int:
    """Return an instant as indexes order it."""
    since = at - _EPOCH
    return since.days * _DAY + since.seconds * 1000 + since.microseconds // 1000


def instant(stored: int) -> datetime:
    """Return the instant of an index's number."""
    return _EPOCH + timedelta(milliseconds=stored)
