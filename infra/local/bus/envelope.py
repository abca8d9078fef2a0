"""The bytes of a push: Google's envelope, spliced around a payload that was encoded once, at publish."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

import orjson

from infra.local.bus.rows import StoredMessage
from infra.local.delivery.instants import rfc3339


def encode_payload(data: bytes, attributes: Mapping[str, str]) -> bytes:
    """Return the part of the envelope that is the same for every delivery."""
    return orjson.dumps({"data": b64encode(data).decode(), "attributes": dict(attributes)})


def decode_payload(payload: bytes) -> tuple[bytes, dict[str, str]]:
    """Return data and attributes."""
    fields = orjson.loads(payload)
    return b64decode(fields["data"]), fields["attributes"]


def push_body(message: StoredMessage, subscription: str, attempt: int | None) -> bytes:
    """Return the body of a push; `attempt` is told only under a dead-letter policy, as Google does."""
    about: dict[str, Any] = {
        "messageId": str(message.id),
        "message_id": str(message.id),
        "publishTime": rfc3339(message.published_at),
        "publish_time": rfc3339(message.published_at),
    }
    if message.ordering_key:
        about["orderingKey"] = message.ordering_key
    delivery: dict[str, Any] = {"subscription": subscription}
    if attempt is not None:
        delivery["deliveryAttempt"] = attempt
    return b'{"message":' + _joined(_annotated(message), about) + b"," + orjson.dumps(delivery)[1:]


def _joined(head: bytes, tail: Mapping[str, Any]) -> bytes:
    return head[:-1] + b"," + orjson.dumps(tail)[1:]


def _annotated(message: StoredMessage) -> bytes:
    if not message.notes:
        return message.payload
    fields = orjson.loads(message.payload)
    fields["attributes"].update(message.notes)
    return orjson.dumps(fields)
