"""What Cloud Tasks refuses to keep, refused on every platform with the field and the remedy."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from shared.ports.tasks import TaskRefused

FURTHEST: Final = timedelta(days=30)
LARGEST: Final = 100 * 1024
"""The API reference of Cloud Tasks says 100 KB, its quota page 1 MB: what passes here passes by either."""
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,500}")


def check_name(name: str) -> None:
    """Refuse a name that Cloud Tasks would not take."""
    if not _NAME.fullmatch(name):
        raise TaskRefused(f"name {name[:60]!r} is malformed: use 1 to 500 letters, digits, - and _")


def due_time(not_before: datetime | None, now: datetime) -> datetime:
    """Return when a task is due; a time that has passed means now."""
    if not_before is None:
        return now
    if not_before.tzinfo is None:
        raise TaskRefused("not_before has no time zone: give an aware instant")
    if not_before > now + FURTHEST:
        raise TaskRefused("not_before is more than 30 days ahead: keep a due_at and enqueue nearer the time")
    return max(not_before, now)


def encoded_body(body: Mapping[str, Any]) -> bytes:
    """Return the task's body as JSON."""
    try:
        encoded = orjson.dumps(dict(body))
    except TypeError:
        raise TaskRefused("body is not JSON: send strings, numbers, booleans, lists and objects") from None
    if len(encoded) > LARGEST:
        raise TaskRefused(f"body has {len(encoded)} bytes: allowed are {LARGEST}; store it and send its id")
    return encoded
