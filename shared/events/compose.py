"""A payload becomes an event: the subject follows from its model, the stamp says the rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from shared.domain.replacing import born_open
from shared.events.catalogue import lookup, subjects
from shared.events.codec import event_model, published, refusing
from shared.events.envelope import OUR_SOURCE, Event, ProducedEvent
from shared.events.errors import InvalidEvent
from shared.events.subject import Direction
from shared.events.wire import Published, write_instant


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What the envelope adds to a payload."""

    id: str
    tenant_id: str
    time: datetime
    trace_id: str
    correlation_id: str
    causation_id: str | None = None


def compose(payload: Published, stamp: Stamp) -> ProducedEvent[Any]:
    """The event that publishes a payload."""
    subject = subject_of(type(payload))
    model: Any = event_model(subject)
    with refusing():
        event: ProducedEvent[Any] = model.model_validate(_envelope(subject, stamp, payload))
    return event


def told(model: type[Published], fields: Mapping[str, Any], stamp: Stamp) -> tuple[Event, bytes]:
    """The event whose payload says these fields of its model, and its bytes; None says nothing.

    It is written first and then read by what holds us to it: no model is made only to be written.
    """
    aliases = _aliases(model)
    payload = {aliases[name]: _on_the_wire(value) for name, value in fields.items() if value is not None}
    whole = _envelope(subject_of(model), stamp, payload)
    return published({name: _on_the_wire(value) for name, value in whole.items() if value is not None})


def _envelope(subject: str, stamp: Stamp, data: Any) -> dict[str, Any]:
    return {
        "specVersion": "1.0",
        "id": stamp.id,
        "subject": subject,
        "type": subject,
        "source": OUR_SOURCE,
        "time": stamp.time,
        "tenantId": stamp.tenant_id,
        "traceId": stamp.trace_id,
        "correlationId": stamp.correlation_id,
        "causationId": stamp.causation_id,
        "schemaUrl": lookup(subject).schema_url,
        "data": data,
    }


@cache
def _aliases(model: type[Published]) -> Mapping[str, str]:
    return {name: field.alias or name for name, field in model.model_fields.items()}


def _on_the_wire(value: Any) -> Any:
    """What a value is in a document: an instant its text, a list or a part of us its plain values."""
    kind = type(value)
    if kind is str:
        return value
    if kind is tuple:
        return [_on_the_wire(each) for each in value]
    if kind is datetime:
        return write_instant(value) if value.tzinfo else value  # which is refused as it is
    if isinstance(value, Published):
        return value.model_dump(mode="json", by_alias=True)
    return str(value) if isinstance(value, str) else value


@cache
def subject_of(model: type[Published]) -> str:
    """The produced subject whose payload a model is."""
    path = f"{model.__module__}:{model.__name__}"
    for row in subjects(Direction.PRODUCED):
        if row.model == path:
            return row.name
    raise InvalidEvent.because("data", "no subject we publish has this payload", "Add it to the catalogue")
