"""The stream of a vendor's changes of health (B §2.17): each is told once, in order, by whoever is left.

The row stands in the outbox from the moment of the change; `announced` says how far it is published, and
`due_at` is there until all of it is. One sweep goes over what is due.
"""

import contextlib
import hashlib
from collections.abc import Mapping
from typing import Any, Final

from shared.domain.ids import EventId, VendorAdapterId
from shared.domain.instants import instant_from_text
from shared.kernel.log import Log
from shared.ports.ambient import Clock, Ids
from shared.ports.bus import EventBus, Message
from shared.ports.documents import (
    Create,
    Document,
    DocumentStore,
    Index,
    Ref,
    StaleVersion,
    TenantDocuments,
    Update,
)
from shared.vendor_kit.breaker import BreakerChange
from shared.vendor_kit.calm.circuit import COLLECTION

OUTBOX: Final = "outbox"
DUE_BREAKERS: Final = Index(COLLECTION, (), "due_at", swept=True)
"""Breakers with changes that nobody is known to have published."""
SWEPT: Final = (DUE_BREAKERS,)
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
        return Create(row_ref(self._name, row.sequence), row.to_document())

    async def publish(self, ref: Ref) -> None:
        """Publish what a breaker has not told yet."""
        await publish_untold(self._documents, ref, self._bus)

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


def row_ref(name: str, sequence: int) -> Ref:
    """Return where a change's row is kept."""
    return Ref(OUTBOX, f"{adapter_id(name)}.{sequence:06d}")


async def publish_untold(documents: TenantDocuments, ref: Ref, bus: EventBus) -> bool:
    """Publish a breaker's rows that nobody is known to have published, in order; then note it."""
    found = await documents.get(ref)
    if found is None or found.data["announced"] >= found.data["sequence"]:
        return False
    for sequence in range(found.data["announced"] + 1, found.data["sequence"] + 1):
        await _publish(documents, row_ref(ref.id, sequence), bus)
    with contextlib.suppress(StaleVersion):  # changed since: whoever did it tells the rest
        await documents.commit([_noted(found)])
    return True


async def _publish(documents: TenantDocuments, ref: Ref, bus: EventBus) -> None:
    from shared.events.outbox import OutboxRow

    found = await documents.get(ref)
    if found is None:
        raise LookupError(f"{ref} is not in the outbox: restore it from a backup")
    row = OutboxRow.from_document(found.data)
    await bus.publish(row.subject, [Message(row.body, row.attributes, row.ordering_key)])


def _noted(found: Document) -> Update:
    told = {**found.data, "announced": found.data["sequence"]}
    return Update(found.ref, {name: told[name] for name in told if name != "due_at"}, found.version)


async def sweep_breakers(store: DocumentStore, bus: EventBus, clock: Clock, log: Log) -> int:
    """Publish what crashes left untold, whatever becomes of one; return of how many breakers."""
    due = await store.sweep(DUE_BREAKERS, {}, until=int(clock.now().timestamp() * 1000))
    swept = 0
    for tenant, name in due:
        try:
            swept += await publish_untold(store.tenant(tenant), Ref(COLLECTION, name), bus)
        except Exception as error:  # noqa: BLE001 - one that cannot be told must not keep the others waiting
            log.failure("a vendor's change of health could not be told", error, account=name)
    return swept
