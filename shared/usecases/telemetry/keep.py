"""Keeping what was told: each event for as long as its class says, to be counted and shown (C §3, §18)."""

from datetime import timedelta
from typing import Any, Final

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.instants import instant_to_text
from shared.events.backoffice.boundary import our_property
from shared.events.backoffice.catalogue import TELEMETRY, Group
from shared.events.backoffice.envelope import TelemetryEvent, telemetry_model
from shared.events.codec import refusing
from shared.ports.documents import AlreadyExists, Create, DocumentStore, Ref

KEPT: Final = "telemetry"
NO_PROPERTY: Final = "none"
_ROWS_OF: Final = {group.topic: group for group in Group}


def read_telemetry(body: bytes) -> TelemetryEvent[Any]:
    """Read an event of telemetry exactly, or refuse it without repeating what it says."""
    try:
        document = orjson.loads(body)
        subject = document["envelope"]["subject"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise InvalidInput("envelope.subject", "missing, or not JSON", "publish C's envelope") from None
    if not isinstance(subject, str) or subject not in TELEMETRY:
        raise InvalidInput("envelope.subject", "not in the table of document C", "publish a subject of it")
    with refusing():
        return telemetry_model(subject).model_validate(document, by_alias=True, by_name=False)


async def keep_telemetry(body: bytes, topic: str, documents: DocumentStore) -> bool:
    """Keep an event until its class says that it goes; return whether it was new."""
    event = read_telemetry(body)
    head = event.envelope
    row = TELEMETRY[head.subject]
    if topic and _ROWS_OF.get(topic) is not row.group:
        raise InvalidInput("envelope.subject", "of another topic", f"publish it to {row.group.topic}")
    data = {
        "schema_version": 1,
        "subject": head.subject,
        "property_id": _ours(head.property_id),
        "occurred_at": instant_to_text(head.occurred_at),
        "operator": head.operator_id,
        "body": body.decode(),
    }
    ends = head.occurred_at + timedelta(days=row.keep_days)
    try:
        await documents.tenant(TenantId(head.tenant_id)).note(
            [Create(Ref(KEPT, head.event_id), data, expires_at=ends)]
        )
    except AlreadyExists:
        return False
    return True


def _ours(theirs: str | None) -> PropertyId | str:
    return NO_PROPERTY if theirs is None else our_property(theirs)
