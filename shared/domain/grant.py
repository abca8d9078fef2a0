"""A grant: the right of one credential at one lock, which outlives the credential until the lock agrees."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from shared.domain.capabilities import LockCapabilities
from shared.domain.errors import IllegalTransition, InvalidInput
from shared.domain.grant_lifecycle import (
    GRANT_TABLE,
    Close,
    ConfirmRemoval,
    Extend,
    GiveUp,
    GrantCommand,
    GrantState,
    Lapse,
    Place,
    Placed,
    Placement,
    RemovalProof,
    Removed,
    Removing,
    Residual,
    Rest,
    Resting,
    Withdraw,
)
from shared.domain.ids import CredentialId, GrantId, LockDeviceId, PropertyId, RoomId, TenantId
from shared.domain.instants import utc
from shared.domain.kinds import ClaimKey, KeyCredentialKind, VendorCode
from shared.domain.lifecycle import name_of
from shared.domain.replacing import born_open, replace

_INDEX: Final = re.compile(r"[0-9a-f]{64}")
_ORDER: Final = tuple(Placement)


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorCall:
    """What makes one request to a vendor that request and no other; its key is what the vendor dedupes by."""

    claim: ClaimKey
    credential_id: CredentialId
    device_id: LockDeviceId
    kind: KeyCredentialKind
    secret_try: int
    step: str

    @property
    def key(self) -> str:
        """The idempotency key to send."""
        parts = (self.claim, self.credential_id, self.device_id, self.kind, str(self.secret_try), self.step)
        return hashlib.sha256("|".join(parts).encode()).hexdigest()


def name_at_vendor(vendor_key: str) -> str:
    """Return the name a key bears at the vendor, which follows from its request alone; it names no guest."""
    return f"MM-{hashlib.sha256(vendor_key.encode()).hexdigest()[:12]}"


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One lock's share of a key: who, where, by which vendor, and until when it could open."""

    schema_version: ClassVar[int] = 1

    id: GrantId
    tenant: TenantId
    property_id: PropertyId
    credential_id: CredentialId
    device_id: LockDeviceId
    rooms: tuple[RoomId, ...]
    vendor: VendorCode
    kind: KeyCredentialKind
    vendor_key: str
    capabilities: LockCapabilities
    exposure_until: datetime | None
    """None where the lock enforces no end: then only a removal ends the exposure."""
    state: GrantState
    version: int
    changed_at: datetime
    secret_try: int = 0
    pin_index: str | None = None
    vendor_ref_index: str | None = None

    def __post_init__(self) -> None:
        if self.exposure_until is not None:
            object.__setattr__(self, "exposure_until", utc(self.exposure_until, "exposureUntil"))
        for field in ("pin_index", "vendor_ref_index"):
            _check_index(field, getattr(self, field))

    @property
    def vendor_name(self) -> str:
        """The name by which people find the key in the vendor's own app."""
        return name_at_vendor(self.vendor_key)

    @property
    def over(self) -> bool:
        """Say whether nothing is left to do at the lock."""
        return isinstance(self.state, Removed)

    def apply(self, command: GrantCommand) -> "Grant":
        """Obey a command or refuse it; being told what is already known returns this object."""
        allowed = GRANT_TABLE[type(self.state)]
        if type(command) not in allowed:
            raise IllegalTransition(name_of(type(self.state)), type(command).__name__, _names(allowed))
        at = max(utc(command.at, "at"), self.changed_at)
        changed = _CHANGES[type(command)](self, command, at)
        return self if changed == self else replace(changed, version=self.version + 1, changed_at=at)


def _names(commands: Mapping[type[GrantCommand], Any]) -> tuple[str, ...]:
    return tuple(command.__name__ for command in commands)


def _check_index(field: str, value: str | None) -> None:
    if value is not None and not _INDEX.fullmatch(value):
        raise InvalidInput(field, "not a blind index", "Give the 64 hex digits of an HMAC, never the value")


def _place(grant: Grant, command: Place, at: datetime) -> Grant:
    known = grant.state if isinstance(grant.state, Placed) else Placed(command.placement, at)
    furthest = max(known.placement, command.placement, key=_ORDER.index)
    return replace(
        grant,
        state=Placed(furthest, known.placed_at),
        exposure_until=command.exposure_until or grant.exposure_until,
        vendor_ref_index=command.vendor_ref_index or grant.vendor_ref_index,
    )


def _extend(grant: Grant, command: Extend, _: datetime) -> Grant:
    known, more = grant.exposure_until, utc(command.exposure_until, "exposureUntil")
    return grant if known is None or known >= more else replace(grant, exposure_until=more)


def _rest(grant: Grant, _: Rest, at: datetime) -> Grant:
    return replace(grant, state=Resting(at))


def _withdraw(grant: Grant, _: Withdraw, at: datetime) -> Grant:
    return replace(grant, state=Removing(at))


def _removed(grant: Grant, state: Removed) -> Grant:
    """Return a grant that is over: nobody is to find out by it what once opened the lock."""
    return replace(grant, state=state, pin_index=None, vendor_ref_index=None)


def _confirm(grant: Grant, command: ConfirmRemoval, at: datetime) -> Grant:
    return _removed(grant, Removed(at, command.proof))


def _give_up(grant: Grant, command: GiveUp, at: datetime) -> Grant:
    return replace(grant, state=Residual(at, command.cause))


def _close(grant: Grant, command: Close, at: datetime) -> Grant:
    return _removed(grant, Removed(at, RemovalProof.CLOSED_BY_STAFF, command.by))


def _lapse(grant: Grant, _: Lapse, at: datetime) -> Grant:
    if grant.exposure_until is None or at < grant.exposure_until:
        raise InvalidInput(
            "at", "the exposure is not over", "Wait for exposureUntil, remove the key or close it"
        )
    return _removed(grant, Removed(at, RemovalProof.LAPSED))


_CHANGES: Final[Mapping[type[GrantCommand], Callable[[Grant, Any, datetime], Grant]]] = {
    Place: _place,
    Extend: _extend,
    Rest: _rest,
    Withdraw: _withdraw,
    ConfirmRemoval: _confirm,
    GiveUp: _give_up,
    Close: _close,
    Lapse: _lapse,
}
