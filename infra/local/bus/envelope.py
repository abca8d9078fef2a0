"""The bytes of a push: Google's envelope around what was published, which lies sealed until then."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
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


def push_body(
    message: StoredMessage, opened: Callable[[bytes], bytes], subscription: str, attempt: int | None
) -> bytes:
    """Return the body of a push; `attempt` is told only under a dead-letter policy, as Google does."""
    published = rfc3339(message.published_at)
    about: dict[str, Any] = {
        "messageId": str(message.id),
        "message_id": str(message.id),
        "publishTime": published,
        "publish_time": published,
    }
    if message.ordering_key:
        about["orderingKey"] = message.ordering_key
    delivery: dict[str, Any] = {"subscription": subscription}
    if attempt is not None:
        delivery["deliveryAttempt"] = attempt
    return b'{"message":' + _joined(_shown(message, opened), about) + b"," + orjson.dumps(delivery)[1:]


def _joined(head: bytes, tail: Mapping[str, Any]) -> bytes:
    return head[:-1] + b"," + orjson.dumps(tail)[1:]


def _shown(message: StoredMessage, opened: Callable[[bytes], bytes]) -> bytes:
    if message.shown is not None:
        return message.shown
    kept, attributes = decode_payload(message.payload)
    data = opened(kept)
    if data is kept and not message.notes:
        return message.payload
    return encode_payload(data, {**attributes, **message.notes})
