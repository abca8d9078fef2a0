"""The facts of master keys become events; their stream is the master key's, beside its credential's."""

from typing import Any, Final

from shared.domain.master_key import MasterKeyExpired, MasterKeyIssued
from shared.domain.scope import MasterScope, MasterScopeKind
from shared.events import master_key as wire
from shared.events.codec import refusing
from shared.events.compose import Stamp, compose
from shared.events.envelope import ProducedEvent
from shared.events.from_facts import Context
from shared.events.outbox import Aggregate, AuditFacts, OutboxRow
from shared.events.wire import Published

MasterKeyFact = MasterKeyIssued | MasterKeyExpired

_TARGET: Final = {
    MasterScopeKind.ROOM: "roomId",
    MasterScopeKind.FLOOR: "floor",
    MasterScopeKind.AREA: "area",
}


def announce(fact: MasterKeyFact, context: Context) -> ProducedEvent[Any]:
    """The event that tells a fact."""
    key = fact.master_key
    stamp = Stamp(
        id=context.event_id,
        tenant_id=key.tenant,
        time=fact.at,
        trace_id=context.trace_id,
        correlation_id=key.id,
        causation_id=context.causation_id,
    )
    with refusing():
        payload = _issued(fact) if isinstance(fact, MasterKeyIssued) else _expired(fact)
    return compose(payload, stamp)


def outbox_row(fact: MasterKeyFact, context: Context, operator_id: str) -> OutboxRow:
    """The row that stores a fact's event; a master key's first change is its first fact."""
    key = fact.master_key
    event = announce(fact, context)
    audit = AuditFacts(
        action=event.subject.split(".")[3],
        time=event.time,
        trace_id=context.trace_id,
        operator_id=operator_id,
        staff_user_id=key.staff,
        reason=fact.trigger.value if isinstance(fact, MasterKeyExpired) else None,
        capabilities=context.capabilities,
    )
    return OutboxRow.following(Aggregate(key.tenant, key.id, key.version - 2), event, audit)


def _issued(fact: MasterKeyIssued) -> Published:
    key = fact.master_key
    if key.kind is None:
        raise ValueError("a master key is issued with a kind")
    first, *more = map(_scope, key.scopes)
    return wire.MasterKeyIssuedV1(
        master_key_id=key.id,
        key_credential_id=key.credentials[0],
        staff_user_id=key.staff,
        property_id=key.property_id,
        scope=first,
        valid_from=fact.window.start,
        valid_until=fact.window.end,
        kind=key.kind.value,
        issued_at=fact.at,
        scopes=(first, *more) if more else None,
        key_credential_ids=key.credentials if len(key.credentials) > 1 else None,
    )


def _expired(fact: MasterKeyExpired) -> Published:
    key = fact.master_key
    return wire.MasterKeyExpiredV1(
        master_key_id=key.id,
        key_credential_id=key.credentials[0],
        staff_user_id=key.staff,
        expired_at=fact.at,
        trigger=fact.trigger.value,
        property_id=key.property_id,
    )


def _scope(scope: MasterScope) -> Any:
    """The scope as the wire writes it: its kind, and its target under the name that kind gives it."""
    target = _TARGET.get(scope.kind)
    return {"kind": scope.kind.value} | ({target: scope.target} if target else {})
