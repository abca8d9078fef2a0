"""The stream of a vendor's changes of health (B §2.17): each is told once, in order, by whoever is left.

The row stands in the outbox from the moment of the change; `announced` says how far it is published, and
`due_at` is there until all of it is. One sweep goes over what is due.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from shared.domain.ids import EventId, VendorAdapterId
from shared.domain.instants import instant_from_text
from shared.ports.ambient import Ids
from shared.ports.bus import EventBus
from shared.ports.documents import Create, Ref, TenantDocuments
from shared.streams.telling import row_write, tell
from shared.vendor_kit.breaker import BreakerChange
from shared.vendor_kit.calm.circuit import COLLECTION

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def adapter_id(name: str) -> VendorAdapterId:
    """Return the id of what a breaker stands before: the same in every process, and telling nothing."""
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:16])
    return VendorAdapterId.mint("".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5)))


class HealthStream:
    """The changes of one application's health at a vendor."""

    def __init__(
        self, name: str, environment: str, documents: TenantDocuments, bus: EventBus, ids: Ids
    ) -> None:
        self._name, self._environment = name, environment
        self._documents, self._bus, self._ids = documents, bus, ids

    def row(self, kept: Mapping[str, Any], change: BreakerChange) -> Create:
        """Return the write that tells a change, beside what is kept of the breaker from then on."""
        from shared.events.outbox import Aggregate, AuditFacts, OutboxRow

        at = instant_from_text(kept["changed_at"], "changed_at")
        event = self._event(at, change)
        stream = Aggregate(str(self._documents.tenant), str(adapter_id(self._name)), kept["sequence"] - 1)
        facts = AuditFacts("health_changed", at, event.trace_id, reason=change.reason, vendor=self._vendor)
        row = OutboxRow.following(stream, event, facts)
        return row_write(row)

    async def publish(self, ref: Ref) -> None:
        """Publish what a breaker has not told yet."""
        await tell_health(ref.id, self._documents, self._bus)

    @property
    def _vendor(self) -> str:
        return self._name.partition(":")[0]

    def _event(self, at: Any, change: BreakerChange) -> Any:
        from shared.events.compose import Stamp, compose
        from shared.events.vendor_traffic import BreakerMetric, VendorAdapterHealthChangedV1

        id_ = EventId.mint(self._ids.ulid())
        digest, adapter = hashlib.sha256(id_.encode()).hexdigest(), str(adapter_id(self._name))
        payload = VendorAdapterHealthChangedV1(
            vendor_adapter_id=adapter,
            vendor=self._vendor,
            environment=self._environment,
            before=change.before.value,
            after=change.after.value,
            reason=change.reason,
            metric=BreakerMetric(error_rate_pct=change.error_rate_pct, window_size=change.window_size),
            changed_at=at,
        )
        trace = f"00-{digest[:32]}-{digest[32:48]}-01"
        stamp = Stamp(
            id=str(id_),
            tenant_id=str(self._documents.tenant),
            time=at,
            trace_id=trace,
            correlation_id=adapter,
        )
        return compose(payload, stamp)


async def tell_health(name: str, documents: TenantDocuments, bus: EventBus) -> bool:
    """Tell what a breaker has not told yet; return whether there was any."""
    return await tell(Ref(COLLECTION, name), str(adapter_id(name)), documents, bus)
