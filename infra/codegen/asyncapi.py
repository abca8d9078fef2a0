"""The description of the events (AsyncAPI 3.0), written from the catalogue; its payloads lie beside it.

What we tell is `send`, what we hear is `receive`. An address that a tenant named hears what we tell too, in a
shape of its own (Standard Webhooks): one channel more, without an address of ours.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from infra.codegen.event_schemas import as_text
from shared.events.catalogue import CATALOGUE, spellings, subjects
from shared.events.subject import Direction, Subject

PAGE: Final = Path("schemas/asyncapi.json")
OWNED: Final = (str(PAGE),)
Json = dict[str, Any]
WEBHOOK: Final = "webhook"
_ABOUT: Final = """What happens to keys, told as events, and what we hear of bookings, shifts and hotels.

Every event is delivered at least once. Those of one key come in order by its ordering key, and `sequence`
counts them: pass over what is not after the last. No event holds a PIN, a token or a contact."""
_ACTIONS: Final = {Direction.PRODUCED: ("send", "tell"), Direction.CONSUMED: ("receive", "hear")}
_HEADERS: Final[Json] = {
    "type": "object",
    "properties": {
        "subject": {"type": "string"},
        "tenantId": {"type": "string"},
        "sequence": {"type": "string", "pattern": "^[0-9]+$"},
    },
}
_SIGNED: Final[Json] = {
    "type": "object",
    "required": ["webhook-id", "webhook-timestamp", "webhook-signature"],
    "properties": {
        "webhook-id": {"type": "string", "description": "The event's id: the same however often it comes."},
        "webhook-timestamp": {"type": "string", "pattern": "^[0-9]+$"},
        "webhook-signature": {
            "type": "string",
            "description": "v1, and base64 of HMAC-SHA256 over id, time and body; two at a rotation.",
        },
    },
}


def asyncapi() -> Json:
    """Return the description."""
    rows = [row for row in CATALOGUE.values() if row.direction in _ACTIONS]
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "keyfleet", "version": "1", "description": _ABOUT},
        "defaultContentType": "application/json",
        "servers": {
            "pubsub": {
                "host": "pubsub.googleapis.com",
                "protocol": "googlepubsub",
                "description": "Of a cell's own project.",
            }
        },
        "channels": {**{row.name: _channel(row) for row in rows}, WEBHOOK: _webhook_channel()},
        "operations": {**dict(map(_operation, rows)), "tellWebhooks": _webhook_operation()},
        "components": {"messages": {**{row.name: _message(row) for row in rows}, WEBHOOK: _webhook()}},
    }


def _channel(row: Subject) -> Json:
    also = f" Also spelt {', '.join(spellings(row.name))}." if spellings(row.name) else ""
    retention = f" Kept as {row.retention}." if row.retention else ""
    ours = " Our own extension of the specification." if row.extension else ""
    return {
        "address": row.topic,
        "description": f"By {row.producer}, for {', '.join(row.consumers)}.{retention}{ours}{also}",
        "servers": [{"$ref": "#/servers/pubsub"}],
        "messages": {"event": {"$ref": f"#/components/messages/{row.name}"}},
    }


def _operation(row: Subject) -> tuple[str, Json]:
    action, word = _ACTIONS[row.direction]
    name = row.name.removeprefix("melmastoon.").replace("_", ".")
    camel = "".join(map(str.capitalize, name.split(".")))
    refs = {"$ref": f"#/channels/{row.name}"}
    messages = [{"$ref": f"#/channels/{row.name}/messages/event"}]
    return f"{word}{camel}", {"action": action, "channel": refs, "messages": messages}


def _message(row: Subject) -> Json:
    return {
        "name": row.name,
        "contentType": "application/json",
        "headers": _HEADERS,
        "payload": {"$ref": f"./{row.name}.json"},
    }


def _webhook_channel() -> Json:
    return {
        "address": None,
        "description": "An address that a tenant named, and proved: POST /lock/v1/webhooks.",
        "messages": {"event": {"$ref": f"#/components/messages/{WEBHOOK}"}},
    }


def _webhook_operation() -> Json:
    messages = [{"$ref": f"#/channels/{WEBHOOK}/messages/event"}]
    return {"action": "send", "channel": {"$ref": f"#/channels/{WEBHOOK}"}, "messages": messages}


def _webhook() -> Json:
    told = [row.name for row in subjects(Direction.PRODUCED)]
    fields: Json = {
        "type": {"type": "string", "enum": [*told, "keyfleet.webhook.challenge"]},
        "timestamp": {"type": "string", "format": "date-time"},
        "tenantId": {"type": "string"},
        "data": {"type": "object", "description": "As in the schema of the type, without `artifact`."},
        "stream": {"type": "string", "description": "What the event is about; `sequence` counts within it."},
        "sequence": {"type": "integer", "minimum": 1},
    }
    required = ["type", "timestamp", "tenantId", "data"]
    payload = {"type": "object", "required": required, "properties": fields}
    return {"name": WEBHOOK, "contentType": "application/json", "headers": _SIGNED, "payload": payload}


def problems_of(document: Json) -> Iterator[str]:
    """Yield what is wrong with a description: references that lead nowhere, and channels nobody uses."""
    used = set[str]()
    for name, operation in document["operations"].items():
        channel = operation["channel"]["$ref"].removeprefix("#/channels/")
        used.add(channel)
        if channel not in document["channels"]:
            yield f"operations.{name}: no channel {channel}"
    for name, channel in document["channels"].items():
        if name not in used:
            yield f"channels.{name}: no operation uses it"
        for message in channel["messages"].values():
            if (
                message["$ref"].removeprefix("#/components/messages/")
                not in document["components"]["messages"]
            ):
                yield f"channels.{name}: no message {message['$ref']}"


def generate() -> dict[Path, str]:
    """Return the description as a file."""
    return {PAGE: as_text(asyncapi())}
