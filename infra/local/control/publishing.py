"""From what an operator typed to a whole event, validated before anything is published."""

from collections.abc import Mapping
from typing import Any

import rfc8785

from shared.domain.errors import InvalidInput
from shared.events.catalogue import lookup, topics
from shared.events.codec import parse
from shared.events.subject import Direction, Subject
from shared.ports.ambient import Clock, Entropy, Ids
from shared.ports.bus import Message

OPERATOR_SOURCE = "/services/keyfleet-operator"


def event_from(request: Mapping[str, Any], clock: Clock, ids: Ids, entropy: Entropy) -> tuple[str, Message]:
    """Return the topic and the message of a publish request; raise what says what is wrong with it."""
    subject = lookup(_text(request, "subject"))
    if subject.direction is Direction.LOCAL:
        raise InvalidInput("subject", "never travels on the bus", "send it through /sync/v1/push")
    event = request.get("event")
    document = event if isinstance(event, dict) else _composed(request, subject.name, clock, ids, entropy)
    parsed = parse(document)
    if parsed.subject != subject.name:
        raise InvalidInput("event.subject", "is not the subject to publish to", "make the two agree")
    try:
        body = rfc8785.dumps(document)
    except rfc8785.CanonicalizationError:
        raise InvalidInput("data", "holds a number JSON cannot carry exactly", "send it as a text") from None
    return _topic(request, subject), Message(
        body, {"subject": subject.name, "tenantId": parsed.tenant_id}, _key(request, parsed)
    )


def _composed(
    request: Mapping[str, Any], subject: str, clock: Clock, ids: Ids, entropy: Entropy
) -> dict[str, Any]:
    data = request.get("data")
    if not isinstance(data, dict):
        raise InvalidInput("data", "missing or not a JSON object", "pass --data with the event's payload")
    return {
        "specVersion": "1.0",
        "id": f"evt_{ids.ulid()}",
        "subject": subject,
        "type": subject,
        "source": OPERATOR_SOURCE,
        "time": clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "tenantId": _text(request, "tenant"),
        "traceId": f"00-{entropy.token(16).hex()}-{entropy.token(8).hex()}-01",
        "correlationId": str(request.get("correlation_id") or f"evt_{ids.ulid()}"),
        "schemaUrl": lookup(subject).schema_url,
        "data": data,
    }


def _topic(request: Mapping[str, Any], subject: Subject) -> str:
    """Return the topic of the name that was given: a neighbour's spelling has one of its own."""
    named = request["subject"]
    return named if named in topics(subject) else subject.name


def _text(request: Mapping[str, Any], field: str) -> str:
    value = request.get(field)
    if not isinstance(value, str) or not value:
        raise InvalidInput(field, "missing or not a text", f"pass --{field}")
    return value


def _key(request: Mapping[str, Any], event: Any) -> str:
    given = request.get("ordering_key")
    if isinstance(given, str):
        return given
    return str(getattr(event.data, "reservation_id", "") or "")
