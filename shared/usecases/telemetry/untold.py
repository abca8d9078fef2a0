"""Telemetry that is to be told: kept with the state it tells of, and let go of once it is published."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from shared.domain.ids import TenantId
from shared.domain.instants import milliseconds
from shared.events.backoffice.catalogue import TELEMETRY, Road, Telemetry
from shared.ports.bus import EventBus, Message
from shared.ports.documents import Create, Delete, Ref, StaleVersion, TenantDocuments
from shared.streams.telling import DUE_AT

UNTOLD: Final = "telemetry_untold"


@dataclass(frozen=True, slots=True)
class Untold:
    """An event that is to be told: its bytes are those that are published, however often."""

    tenant: TenantId
    id: str
    row: Telemetry
    ordering_key: str
    body: bytes = field(repr=False)
    due: datetime

    @property
    def lasting(self) -> bool:
        """Say whether it must be kept with the state that it tells of."""
        return self.row.road is Road.OUTBOX

    @property
    def ref(self) -> Ref:
        """Where it is kept until it is told."""
        return Ref(UNTOLD, self.id)

    def write(self) -> Create:
        """Return what keeps it, to be committed with what it tells of."""
        return Create(self.ref, {**self._document(), DUE_AT: milliseconds(self.due)})

    def message(self) -> Message:
        """Return what is published."""
        return Message(self.body, _attributes(self.row.subject, self.tenant), self.ordering_key)

    def _document(self) -> dict[str, Any]:
        kept = {"subject": self.row.subject, "ordering_key": self.ordering_key, "body": self.body.decode()}
        return {"schema_version": 1, **kept}


def _attributes(subject: str, tenant: str) -> dict[str, str]:
    return {"subject": subject, "tenantId": tenant}


def kept(untold: Sequence[Untold]) -> list[Create]:
    """Return what must be committed with the state that these events tell of."""
    return [each.write() for each in untold if each.lasting]


async def tell_untold(name: str, store: TenantDocuments, bus: EventBus) -> bool:
    """Publish an event that was kept, byte for byte, and let go of it; whoever came first has done so."""
    found = await store.get(Ref(UNTOLD, name))
    if found is None:
        return False
    row, data = TELEMETRY[found.data["subject"]], found.data
    message = Message(data["body"].encode(), _attributes(row.subject, store.tenant), data["ordering_key"])
    await bus.publish(row.group.topic, [message])
    try:
        await store.note([Delete(found.ref, found.version)])
    except StaleVersion:
        return False
    return True
