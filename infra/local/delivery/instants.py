"""Instants as they are stored (microseconds since 1970) and as they are sent (RFC 3339, UTC)."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
KEPT_RIGHT = 60 * 1_000_000


def micros(instant: datetime) -> int:
    """Return whole microseconds since 1970."""
    # In small numbers: to divide by a timedelta costs four times as much, and this is asked at each turn.
    since = instant - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def instant(stored: int) -> datetime:
    """Return the aware instant."""
    return EPOCH + timedelta(microseconds=stored)


def set_back(then: int, now: int) -> bool:
    """Whether a clock that once said `then` was ahead: by less than a minute is how clocks are kept right."""
    return then > now + KEPT_RIGHT


def rfc3339(stored: int) -> str:
    """Return the instant as Google writes it: UTC, milliseconds, Z."""
    return instant(stored).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
