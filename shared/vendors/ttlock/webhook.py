"""TTLock's callbacks: unsigned forms with guests' passcodes in them; they say only where to look.

Proven by the address alone. Of `records` we keep which lock and when, of a gateway or a lock that came or
went that it did; never `keyboardPwd`, `username` or `admin`. What happened, `lockRecord/list` is asked.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.vendor_kit.asks import number_in
from shared.vendor_kit.grids import EPOCH
from shared.vendor_kit.webhook import MOST_HINTS, REMEDY, Delivered, Hint, Notice, lock_named, token_proven
from shared.vendors.ttlock.records import MEANS

TYPES: Final = {
    "1": "access.records",
    "2": "gateway.reach",
    "3": "lock.reach",
    "4": "request.failed",
    "7": "door.sensor",
}
MOST_FIELDS: Final = 40
OTHER: Final = "other"
_FURTHEST_MS: Final = 4_102_444_800_000
"""The year 2100: what a lock's clock shows beyond that is no time at all."""


class TTLockHooks:
    """Proves and reads callbacks."""

    signed = False
    answer = b"success"

    def proven(self, hook: Delivered, secrets: Sequence[Secret[bytes]], now: datetime) -> bool:  # noqa: ARG002 - nothing is dated
        """Say whether the address bears the property's secret."""
        return token_proven(hook.token, secrets)

    def read(self, hook: Delivered, now: datetime) -> Notice:
        """Return where to look."""
        form = _form(hook.body)
        type_ = TYPES.get(form.get("notifyType", ""), OTHER)
        hints = tuple(_hints(form))
        # Nothing dates what is no record: told again within the minute, it is the same. That a gateway or a
        # lock went is told a quarter of an hour late at least, so that no two changes of one look alike.
        minute = "" if hints else f"{now:%Y%m%d%H%M}"
        about = [form.get(name, "") for name in ("lockId", "gatewayId", "isOnline")]
        said = orjson.dumps([type_, minute, about, [[hint.lock, hint.at.isoformat()] for hint in hints]])
        return Notice(type=type_, event_id=hashlib.sha256(said).hexdigest()[:32], hints=hints)


def _form(body: bytes) -> Mapping[str, str]:
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise InvalidInput("body", "not a form", REMEDY) from None


def _hints(form: Mapping[str, str]) -> Iterator[Hint]:
    """Yield where somebody tried a door; that one locked by itself is no attempt."""
    for row in _rows(form.get("records", "[]")):
        ms = number_in(row.get("lockDate"))
        if ms is None or not 0 <= ms < _FURTHEST_MS:
            raise InvalidInput("records.lockDate", "not an instant", REMEDY)
        lock = lock_named(row.get("lockId"))
        if number_in(row.get("recordType")) in MEANS:
            yield Hint(lock=lock, at=EPOCH + timedelta(milliseconds=ms))


def _rows(told: str) -> Sequence[Mapping[str, Any]]:
    try:
        rows = orjson.loads(told)
    except orjson.JSONDecodeError:
        rows = None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidInput("records", "not a list of records", REMEDY)
    if len(rows) > MOST_HINTS:
        raise InvalidInput("records", f"more than {MOST_HINTS}", "Send them in parts")
    return rows
