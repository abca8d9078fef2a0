"""Instants as they are stored (microseconds since 1970) and as they are sent (RFC 3339, UTC)."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
KEPT_RIGHT = 60 * 1_000_000


def micros(instant: datetime) -> int:
    """Return whole microseconds since 1970."""
    return (instant - EPOCH) // MICROSECOND


def instant(stored: int) -> datetime:
    """Return the aware instant."""
    return EPOCH + stored * MICROSECOND


def set_back(then: int, now: int) -> bool:
    """Whether a clock that once said `then` was ahead: by less than a minute is how clocks are kept right."""
    return then > now + KEPT_RIGHT


def rfc3339(stored: int) -> str:
    """Return the instant as Google writes it: UTC, milliseconds, Z."""
    return instant(stored).strftime("%Y-%m-%dT%H:%M:%S.") + f"{stored // 1000 % 1000:03d}Z"
