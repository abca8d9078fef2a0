"""The mock's webhooks, signed as Standard Webhooks: what any vendor or connector of ours that can sign sends.

    {"type": "access.attempts", "attempts": [{"id": "e1", "lock": "mock-101", "at": "2026-05-01T14:32:11Z",
     "opened": true, "key": "MM-0123456789ab", "refused": null}]}

What was typed or held to the reader has no place in it: a key goes by the name that we gave it.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.instants import instant_from_text
from shared.domain.secret import Secret
from shared.vendor_kit import standard_webhooks
from shared.vendor_kit.webhook import MOST_HINTS, REMEDY, Delivered, Hint, Notice, lock_named, name_kept

_TYPE: Final = re.compile(r"[a-z][a-z0-9_.]{0,63}")
_EVENT: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_:./=+-]{0,127}")
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


class MockHooks:
    """Proves and reads signed webhooks."""

    signed = True
    answer = b"{}"

    def proven(self, hook: Delivered, secrets: Sequence[Secret[bytes]], now: datetime) -> bool:
        """Say whether it was signed with the property's secret, within five minutes."""
        return standard_webhooks.proven(hook.headers, hook.body, secrets, now)

    def read(self, hook: Delivered, now: datetime) -> Notice:  # noqa: ARG002 - its id is the vendor's own
        """Return what it says of attempts."""
        told = _object(hook.body)
        type_, attempts = told.get("type"), told.get("attempts", [])
        if not isinstance(type_, str) or not _TYPE.fullmatch(type_):
            raise InvalidInput("type", "not a type", REMEDY)
        if not isinstance(attempts, list) or len(attempts) > MOST_HINTS:
            raise InvalidInput("attempts", f"not a list of at most {MOST_HINTS}", REMEDY)
        event_id = standard_webhooks.message_id(hook.headers) or ""
        return Notice(type=type_, event_id=event_id, hints=tuple(map(_hint, attempts)))


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError:
        told = None
    if not isinstance(told, dict):
        raise InvalidInput("body", "not a JSON object", REMEDY)
    return told


def _hint(told: Any) -> Hint:
    if not isinstance(told, dict) or not isinstance(told.get("opened"), bool):
        raise InvalidInput("attempts.opened", "neither true nor false", REMEDY)
    event = told.get("id")
    if not isinstance(event, str) or not _EVENT.fullmatch(event):
        raise InvalidInput("attempts.id", "not an id", REMEDY)
    refused = told.get("refused")
    return Hint(
        lock=lock_named(told.get("lock")),
        at=instant_from_text(told.get("at"), "attempts.at"),
        event=event,
        opened=told["opened"],
        name=name_kept(told.get("key")),
        refused=refused if isinstance(refused, str) and _CODE.fullmatch(refused) else None,
    )
