"""What the control plane was asked, read with care: bounded numbers, known names, JSON objects."""

from typing import Any

import orjson

from infra.local.control.dead_letters import check_parked
from infra.local.control.operations import Body, Operations
from shared.domain.errors import InvalidInput


def parsed(raw: bytes, content_type: str) -> Any:
    """Return a body as its content type says."""
    if not raw:
        return None
    if content_type.partition(";")[0].strip() == "application/json":
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError:
            raise InvalidInput("body", "not the JSON its content type says", "send JSON") from None
    return raw.decode(errors="replace")


def limit_of(text: str | None) -> int:
    """Return how many are asked for, within what one answer holds."""
    if text is not None and not is_number(text):
        raise InvalidInput("limit", "not a whole number", "give one from 1 to 1000")
    return min(max(int(text or 100), 1), 1000)


def is_number(text: Any) -> bool:
    """Say whether something is a whole number, written out."""
    return isinstance(text, str) and text.isdecimal() and len(text) <= 18


def after_of(text: str | None) -> str:
    """Return after which message a page begins."""
    if text is not None and not is_number(text):
        raise InvalidInput("after", "not a message id", "give the last id of the page before")
    return text or "0"


def topic_of(on: Operations, body: Body) -> str | None:
    """Return the topic that is asked for, if it is one where messages are set aside."""
    topic = body.get("topic")
    if topic is not None and not isinstance(topic, str):
        raise InvalidInput("topic", "not a text", "name one topic, or leave it out")
    return check_parked(topic, on.bus.aside)


def ids_of(body: Body, *, or_all: bool) -> list[str] | None:
    """Return which messages are named, or None for all where that may be."""
    ids = body.get("ids")
    if isinstance(ids, list) and all(is_number(each) for each in ids):
        return ids
    if or_all and body.get("all") is True:
        return None
    raise InvalidInput("ids", "missing", "name message ids" + (", or pass --all" if or_all else ""))
