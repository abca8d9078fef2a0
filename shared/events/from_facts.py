"""The domain's facts become events: one row per fact, and the outbox row that carries it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from shared.domain import facts
from shared.domain.core import Guest, Staff
from shared.domain.kinds import KeyWarning
from shared.domain.replacing import born_open
from shared.domain.scope import AccessScope
from shared.domain.states import LockSettlement
from shared.domain.window import StayWindow
from shared.events import credential as wire
from shared.events.compose import Stamp, told
from shared.events.envelope import Event
from shared.events.outbox import AuditFacts, OutboxRow
from shared.events.wire import Published

Fields = dict[str, Any]

_NAMED_AFTERWARDS: Final = {"reservation_id", "staff_user_id"}


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a fact does not know about its own announcement."""

    event_id: str
    trace_id: str
    causation_id: str | None = None
    delivery: wire.Delivery = wire.UNDELIVERED
    capabilities: tuple[str, ...] = ()


def announce(fact: facts.Fact, context: Context) -> tuple[Event, bytes]:
    """The event that tells a fact, and its bytes."""
    header = fact.header
    stamp = Stamp(
        id=context.event_id,
        tenant_id=header.tenant,
        time=header.at,
        trace_id=context.trace_id,
        correlation_id=_correlation(header),
        causation_id=context.causation_id,
    )
    model, fields = _TELLINGS[type(fact)]
    return told(model, {"key_credential_id": header.credential_id, **fields(fact, context)}, stamp)


def outbox_row(fact: facts.Fact, context: Context) -> OutboxRow:
    """The row that stores a fact's event, at the fact's own place in its credential's stream."""
    header = fact.header
    event, body = announce(fact, context)
    audit = _audit(fact, event, context)
    return OutboxRow(header.tenant, header.credential_id, header.sequence, body, audit, encoded=event)


def _audit(fact: facts.Fact, event: Event, context: Context) -> AuditFacts:
    header = fact.header
    return AuditFacts(
        action=event.subject.split(".")[3],
        time=event.time,
        trace_id=context.trace_id,
        operator_id=str(header.by),
        staff_user_id=header.holder.user_id if isinstance(header.holder, Staff) else None,
        reason=_reason(fact),
        vendor=header.vendor,
        capabilities=context.capabilities,
    )


def _reason(fact: facts.Fact) -> str | None:
    reason = getattr(fact, "reason", None)
    return None if reason is None else str(reason)


def _correlation(header: facts.FactHeader) -> str:
    """A guest's events hang together by the stay, a staff key's by the master key."""
    holder = header.holder
    if isinstance(holder, Guest):
        return holder.reservation_id
    return holder.master_key_id or header.credential_id


def _holder(header: facts.FactHeader) -> Fields:
    if isinstance(header.holder, Guest):
        return {
            "holder_kind": "guest",
            "reservation_id": header.holder.reservation_id,
            "guest_id": header.holder.guest_id,
        }
    return {"holder_kind": "staff", "staff_user_id": header.holder.user_id}


def _subject_person(header: facts.FactHeader) -> Fields:
    """Who the key is about, for events that B §2 lets name a reservation but no guest."""
    return {name: value for name, value in _holder(header).items() if name in _NAMED_AFTERWARDS}


def _window(window: StayWindow) -> Fields:
    return {"valid_from": window.start, "valid_until": window.end}


def _effective(effective: StayWindow) -> wire.Window:
    return wire.Window(**_window(effective))


def _scope(scope: AccessScope) -> wire.Scope:
    return wire.Scope(
        floors=scope.floors or None,
        areas=tuple(area.value for area in scope.areas) or None,
        back_of_house=scope.back_of_house or None,
    )


def _warnings(warnings: tuple[KeyWarning, ...]) -> tuple[wire.Warned, ...]:
    return tuple(wire.Warned(code=warning.code, detail=warning.detail) for warning in warnings)


def _requested(fact: facts.CredentialRequested, _: Context) -> Fields:
    return {
        **_holder(fact.header),
        **_window(fact.window),
        "property_id": fact.header.property_id,
        "rooms": fact.rooms,
        "preferred_kinds": tuple(kind.value for kind in fact.preferred_kinds),
        "vendor": fact.header.vendor,
        "idempotency_key": fact.claim,
        "set_role": fact.role.value,
        "replaces": fact.replaces,
    }


def _pending(fact: facts.CredentialPending, _: Context) -> Fields:
    header = fact.header
    return {
        "property_id": header.property_id,
        "vendor": header.vendor,
        "kind": fact.kind.value,
        "pending_at": header.at,
    }


def _issued(fact: facts.CredentialIssued, context: Context) -> Fields:
    staff = isinstance(fact.header.holder, Staff)
    return {
        **_holder(fact.header),
        **_window(fact.window),
        "property_id": fact.header.property_id,
        "kind": fact.kind.value,
        "rooms": fact.rooms,
        "scope": _scope(fact.scope) if fact.scope else None,
        "vendor": fact.header.vendor,
        "provisional": fact.header.provisional,
        "delivery": context.delivery,
        "issued_at": fact.header.at,
        "warnings": _warnings(fact.warnings),
        "effective": _effective(fact.effective) if fact.effective != fact.window else None,
        "set_role": fact.role.value,
        "replaces": fact.replaces,
        "local_id": fact.local_id,
        "metadata": wire.IssuedMetadata(kind="staff_master") if staff else None,
    }


def _failed(fact: facts.CredentialFailed, _: Context) -> Fields:
    return {
        **_subject_person(fact.header),
        "property_id": fact.header.property_id,
        "vendor": fact.header.vendor,
        "failure_reason": fact.reason.value,
        "vendor_message": fact.vendor_message or None,
        "attempts": fact.attempts,
        "last_attempt_at": fact.last_attempt_at,
    }


def _updated(fact: facts.CredentialUpdated, _: Context) -> Fields:
    return {
        "property_id": fact.header.property_id,
        "changes": wire.Changes(
            **_moved(fact.window),
            rooms=_rooms_change(fact.rooms),
            scope=_scope_change(fact.scope),
            reservation_id=_stay_change(fact.stay),
        ),
        "vendor": fact.header.vendor,
        "updated_at": fact.header.at,
        "effective": _effective(fact.effective),
        "warnings": _warnings(fact.warnings) or None,
    }


def _moved(window: facts.Changed[StayWindow] | None) -> dict[str, wire.InstantChange]:
    """The ends of the window that moved."""
    if window is None:
        return {}
    ends = {
        "valid_from": (window.before.start, window.after.start),
        "valid_until": (window.before.end, window.after.end),
    }
    return {
        name: wire.InstantChange(before=old, after=new) for name, (old, new) in ends.items() if old != new
    }


def _rooms_change(rooms: facts.Changed[Any] | None) -> wire.RoomsChange | None:
    return None if rooms is None else wire.RoomsChange(before=rooms.before, after=rooms.after)


def _scope_change(scope: facts.Changed[AccessScope] | None) -> wire.ScopeChange | None:
    return None if scope is None else wire.ScopeChange(before=_scope(scope.before), after=_scope(scope.after))


def _stay_change(stay: facts.Changed[Any] | None) -> wire.StayChange | None:
    return None if stay is None else wire.StayChange(before=stay.before, after=stay.after)


def _suspended(fact: facts.CredentialSuspended, _: Context) -> Fields:
    header = fact.header
    return {"property_id": header.property_id, "reason": fact.reason.value, "suspended_at": header.at}


def _unsuspended(fact: facts.CredentialUnsuspended, _: Context) -> Fields:
    header = fact.header
    return {
        "property_id": header.property_id,
        "reason": fact.reason.value,
        "unsuspended_at": header.at,
        "unsuspended_by": str(header.by),
    }


def _revoked(fact: facts.CredentialRevoked, _: Context) -> Fields:
    # The state comes before the vendor (A §8.3), so the vendor cannot have agreed yet.
    return {
        **_subject_person(fact.header),
        "property_id": fact.header.property_id,
        "vendor": fact.header.vendor,
        "reason": fact.reason.value,
        "revoked_at": fact.header.at,
        "replaced_by": fact.replaced_by,
        "warnings": _warnings(fact.warnings) or None,
        "metadata": wire.RevokedMetadata(was_provisional=fact.was_provisional, vendor_revoke_ok=False),
    }


def _settled(fact: facts.RevokeSettled, _: Context) -> Fields:
    header = fact.header
    return {
        "property_id": header.property_id,
        "vendor_revoke_ok": fact.ok,
        "locks": tuple(map(_lock, fact.locks)),
        "settled_at": header.at,
    }


def _lock(lock: LockSettlement) -> wire.LockSettlement:
    return wire.LockSettlement(device_id=lock.device_id, ok=lock.ok, exposure_until=lock.exposure_until)


_TELLINGS: Final[Mapping[type[facts.Fact], tuple[type[Published], Callable[[Any, Context], Fields]]]] = (
    MappingProxyType(
        {
            facts.CredentialRequested: (wire.CredentialRequestedV1, _requested),
            facts.CredentialPending: (wire.CredentialPendingV1, _pending),
            facts.CredentialIssued: (wire.CredentialIssuedV1, _issued),
            facts.CredentialFailed: (wire.CredentialFailedV1, _failed),
            facts.CredentialUpdated: (wire.CredentialUpdatedV1, _updated),
            facts.CredentialSuspended: (wire.CredentialSuspendedV1, _suspended),
            facts.CredentialUnsuspended: (wire.CredentialUnsuspendedV1, _unsuspended),
            facts.CredentialRevoked: (wire.CredentialRevokedV1, _revoked),
            facts.RevokeSettled: (wire.CredentialRevokeSettledV1, _settled),
        }
    )
)
