"""What a topic trigger delivers: our own push envelope and Eventarc's CloudEvent come out the same."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from shared.domain.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message, as it was pushed to us."""

    message_id: str
    data: bytes = field(repr=False)
    attributes: Mapping[str, str] = field(repr=False)
    ordering_key: str
    subscription: str
    attempt: int | None


def decode_push(body: bytes) -> Delivery:
    """Read a push body, whichever trigger sent it; both carry the same envelope."""
    envelope = _object(_json(body), "body")
    message = _object(envelope.get("message"), "message")
    return Delivery(
        message_id=_text(message.get("messageId", message.get("message_id", "")), "message.messageId"),
        data=_base64(message.get("data", "")),
        attributes={str(k): str(v) for k, v in _object(message.get("attributes", {}), "attributes").items()},
        ordering_key=_text(message.get("orderingKey", ""), "message.orderingKey"),
        subscription=_text(envelope.get("subscription", ""), "subscription"),
        attempt=_attempt(envelope.get("deliveryAttempt")),
    )


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidInput("body", "not JSON", "push the Pub/Sub envelope as JSON") from None


def _object(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(field, "not a JSON object", "push the Pub/Sub envelope as it is")
    return value


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(field, "not a text", "push the Pub/Sub envelope as it is")
    return value


def _base64(value: Any) -> bytes:
    try:
        return base64.b64decode(_text(value, "message.data"), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput("message.data", "not base64", "encode the message's bytes as base64") from None


def _attempt(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
