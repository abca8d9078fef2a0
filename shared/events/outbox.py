"""The outbox row: the exact bytes of one event, where it stands in its stream, and what audit keeps of it."""

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from datetime import datetime
from typing import Any, Self

from shared.domain.plain_codecs import plainly
from shared.domain.replacing import born_open
from shared.domain.stored import Plain
from shared.events.codec import encode, require_publishable
from shared.events.envelope import Event
from shared.events.errors import CrossTenant, EventError
from shared.events.wire import read_instant, write_instant

SCHEMA_VERSION = 1
SAGA = "saga"


class OutboxError(EventError):
    """A row that would break its stream, or a stored one this release cannot read."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The stream a row joins: whose it is, and where it stands before this row."""

    tenant_id: str
    id: str
    sequence: int = 0
    last_time: datetime | None = None


@born_open
@dataclass(frozen=True, slots=True)
class AuditFacts:
    """What audit keeps of an action besides the event (A §17.2)."""

    action: str
    time: datetime
    trace_id: str
    operator_id: str = SAGA
    staff_user_id: str | None = None
    reason: str | None = None
    vendor: str | None = None
    capabilities: tuple[str, ...] = ()

    @property
    def day(self) -> str:
        """The day in UTC on which it was done: that of the audit log in which it is anchored."""
        return write_instant(self.time)[:10]

    def to_document(self) -> dict[str, Any]:
        """The facts as stored."""
        said = {
            "action": self.action,
            "time": write_instant(self.time),
            "traceId": self.trace_id,
            "operatorId": self.operator_id,
            "staffUserId": self.staff_user_id,
            "reason": self.reason,
            "vendor": self.vendor,
        }
        return {**_plain(said), "capabilities": [plainly(each) for each in self.capabilities]}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The facts as they were stored."""
        return cls(
            action=document["action"],
            time=read_instant(document["time"]),
            trace_id=document["traceId"],
            operator_id=document["operatorId"],
            staff_user_id=document["staffUserId"],
            reason=document["reason"],
            vendor=document["vendor"],
            capabilities=tuple(document["capabilities"]),
        )


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One event of one aggregate, to be published unchanged; it cannot be invalid or another tenant's."""

    tenant_id: str
    aggregate_id: str
    sequence: int
    body: bytes = field(repr=False)
    audit: AuditFacts
    event_id: str = field(init=False)
    subject: str = field(init=False)
    encoded: InitVar[Event | None] = None

    def __post_init__(self, encoded: Event | None) -> None:
        """Check the bytes, unless they were made of this event just now."""
        event = encoded or require_publishable(self.body)
        if event.tenant_id != self.tenant_id:
            raise CrossTenant(f"an event of {event.subject} does not belong to its aggregate's tenant")
        if self.sequence < 1:
            raise OutboxError("sequence: it starts at 1. Count on from the aggregate's last row")
        object.__setattr__(self, "event_id", event.id)
        object.__setattr__(self, "subject", event.subject)

    @classmethod
    def following(cls, aggregate: Aggregate, event: Event, audit: AuditFacts) -> Self:
        """The next row of an aggregate's stream; its time is never before the last."""
        if aggregate.last_time is not None and audit.time < aggregate.last_time:
            raise OutboxError("audit.time: it is before the aggregate's last. Take the later of the two")
        sequence, body = aggregate.sequence + 1, encode(event)
        return cls(aggregate.tenant_id, aggregate.id, sequence, body, audit, encoded=event)

    @property
    def ordering_key(self) -> str:
        """What keeps one aggregate's events in order on Pub/Sub."""
        return self.aggregate_id

    @property
    def attributes(self) -> dict[str, str]:
        """The message attributes subscribers filter and order by."""
        return {"sequence": str(self.sequence), "subject": self.subject, "tenantId": self.tenant_id}

    def to_document(self) -> Plain:
        """The row as stored; canonical JSON is UTF-8, so the text holds the exact bytes."""
        said = {
            "schemaVersion": SCHEMA_VERSION,
            "eventId": self.event_id,
            "subject": self.subject,
            "tenantId": self.tenant_id,
            "aggregateId": self.aggregate_id,
            "sequence": self.sequence,
            "day": self.audit.day,
            "body": self.body.decode(),
        }
        return Plain({**_plain(said), "audit": self.audit.to_document()})

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The row as it was stored, checked again."""
        if document.get("schemaVersion") != SCHEMA_VERSION:
            raise OutboxError(f"schemaVersion: this release reads {SCHEMA_VERSION}. Migrate the row")
        row = cls(
            tenant_id=document["tenantId"],
            aggregate_id=document["aggregateId"],
            sequence=document["sequence"],
            body=document["body"].encode(),
            audit=AuditFacts.from_document(document["audit"]),
        )
        if (row.event_id, row.subject) != (document["eventId"], document["subject"]):
            raise OutboxError(
                "eventId, subject: they differ from the body's. The row was altered; quarantine it"
            )
        return row


def _plain(said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plainly(value) for name, value in said.items()}
