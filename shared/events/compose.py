"""A payload becomes an event: the subject follows from its model, the stamp says the rest."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from shared.events.catalogue import lookup, subjects
from shared.events.codec import event_model, refusing
from shared.events.envelope import OUR_SOURCE, ProducedEvent
from shared.events.errors import InvalidEvent
from shared.events.subject import Direction
from shared.events.wire import Published


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
    fields = {
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
        "data": payload,
    }
    model: Any = event_model(subject)
    with refusing():
        event: ProducedEvent[Any] = model.model_validate(fields)
    return event


@cache
def subject_of(model: type[Published]) -> str:
    """The produced subject whose payload a model is."""
    path = f"{model.__module__}:{model.__name__}"
    for row in subjects(Direction.PRODUCED):
        if row.model == path:
            return row.name
    raise InvalidEvent.because("data", "no subject we publish has this payload", "Add it to the catalogue")
