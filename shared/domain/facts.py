"""What happened to a key credential: one plain fact per event we announce."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from shared.domain.core import Holder
from shared.domain.ids import CredentialId, PropertyId, ProvisionalKeyId, ReservationId, RoomId, TenantId
from shared.domain.kinds import (
    Actor,
    ClaimKey,
    FailureReason,
    KeyCredentialKind,
    KeyWarning,
    RevokeReason,
    SetRole,
    SuspendReason,
    VendorCode,
)
from shared.domain.replacing import born_open
from shared.domain.scope import AccessScope
from shared.domain.states import LockSettlement
from shared.domain.window import StayWindow

_T = TypeVar("_T")


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class FactHeader:
    """What every fact says: about which key, in which order, when, and by whom."""

    credential_id: CredentialId
    tenant: TenantId
    property_id: PropertyId
    holder: Holder
    vendor: VendorCode
    provisional: bool
    sequence: int
    at: datetime
    by: Actor


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialRequested:
    """A key is wanted."""

    header: FactHeader
    rooms: tuple[RoomId, ...]
    window: StayWindow
    preferred_kinds: tuple[KeyCredentialKind, ...]
    claim: ClaimKey
    role: SetRole
    replaces: CredentialId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialPending:
    """The vendor may have the key."""

    header: FactHeader
    kind: KeyCredentialKind


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialIssued:
    """The vendor confirmed the key."""

    header: FactHeader
    kind: KeyCredentialKind
    rooms: tuple[RoomId, ...]
    scope: AccessScope
    window: StayWindow
    effective: StayWindow
    role: SetRole
    replaces: CredentialId | None
    local_id: ProvisionalKeyId | None
    warnings: tuple[KeyWarning, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialFailed:
    """The key will not come to be."""

    header: FactHeader
    reason: FailureReason
    vendor_message: str | None
    attempts: int
    last_attempt_at: datetime | None


@dataclass(frozen=True, slots=True)
class Changed(Generic[_T]):
    """A value before and after."""

    before: _T
    after: _T


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialUpdated:
    """The key opens something else, or at another time; what did not change is None."""

    header: FactHeader
    rooms: Changed[tuple[RoomId, ...]] | None
    window: Changed[StayWindow] | None
    scope: Changed[AccessScope] | None
    effective: StayWindow
    warnings: tuple[KeyWarning, ...]
    stay: Changed[ReservationId] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialSuspended:
    """The key rests."""

    header: FactHeader
    reason: SuspendReason


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialUnsuspended:
    """The key is back; the reason is the one it rested for."""

    header: FactHeader
    reason: SuspendReason


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialRevoked:
    """The key is over for us; the locks have yet to say so."""

    header: FactHeader
    reason: RevokeReason
    was_provisional: bool
    replaced_by: CredentialId | None
    warnings: tuple[KeyWarning, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeSettled:
    """What the locks said to a revocation."""

    header: FactHeader
    locks: tuple[LockSettlement, ...]

    @property
    def ok(self) -> bool:
        """Say whether no lock opens any more."""
        return all(lock.ok for lock in self.locks)


Fact = (
    CredentialRequested
    | CredentialPending
    | CredentialIssued
    | CredentialFailed
    | CredentialUpdated
    | CredentialSuspended
    | CredentialUnsuspended
    | CredentialRevoked
    | RevokeSettled
)
"""Anything that can have happened to a key credential."""
