"""What a stream tells becomes a row of the outbox: a payload, stamped with what it is about and for whom."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from shared.domain.ids import EventId, TenantId
from shared.ports.ambient import Ids

if TYPE_CHECKING:  # what events are made of takes long to load
    from shared.events.outbox import OutboxRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What is told of an aggregate: as which number of its stream, when, and what audit keeps of it."""

    tenant: TenantId
    stream: str
    sequence: int
    action: str
    at: datetime
    vendor: str | None = None
    reason: str | None = None
    correlation: str | None = None
    operator: str | None = None
    """Who did it; None where nobody but the fleet itself did."""


def row_of(payload: Any, telling: Telling, ids: Ids) -> "OutboxRow":
    """Return the row that tells a payload; its trace is drawn from its own id, for nobody's call began it."""
    from shared.events.compose import Stamp, compose
    from shared.events.outbox import SAGA, Aggregate, AuditFacts, OutboxRow

    id_ = EventId.mint(ids.ulid())
    digest = hashlib.sha256(id_.encode()).hexdigest()
    trace = f"00-{digest[:32]}-{digest[32:48]}-01"
    stamp = Stamp(
        id=str(id_),
        tenant_id=str(telling.tenant),
        time=telling.at,
        trace_id=trace,
        correlation_id=telling.correlation or telling.stream,
    )
    facts = AuditFacts(
        telling.action,
        telling.at,
        trace,
        operator_id=telling.operator or SAGA,
        reason=telling.reason,
        vendor=telling.vendor,
    )
    stream = Aggregate(str(telling.tenant), telling.stream, telling.sequence - 1)
    return OutboxRow.following(stream, compose(payload, stamp), facts)
