"""The states of a key credential; each holds what is true in that state and nothing else."""

from dataclasses import dataclass
from datetime import datetime

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, LockDeviceId
from shared.domain.instants import utc
from shared.domain.kinds import (
    Actor,
    FailureReason,
    KeyCredentialKind,
    RevokeReason,
    SuspendReason,
    VendorCode,
)
from shared.domain.window import StayWindow


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """The key a vendor confirmed, with the window its locks really enforce."""

    vendor: VendorCode
    kind: KeyCredentialKind
    effective: StayWindow
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class LockSettlement:
    """What became of a revoked key at one lock: gone, or still opening, until an instant if one is known."""

    device_id: LockDeviceId
    ok: bool
    exposure_until: datetime | None = None

    def __post_init__(self) -> None:
        if self.ok and self.exposure_until is not None:
            raise InvalidInput("exposureUntil", "given for a lock that no longer opens", "Leave it out")
        if self.exposure_until is not None:
            object.__setattr__(self, "exposure_until", utc(self.exposure_until, "exposureUntil"))


@dataclass(frozen=True, slots=True)
class Requested:
    """Wanted; no vendor knows of it."""


@dataclass(frozen=True, slots=True)
class Pending:
    """The intent is durable and the vendor may have it."""

    accepted_at: datetime


@dataclass(frozen=True, slots=True)
class Active:
    """The vendor confirmed the key."""

    key: IssuedKey


@dataclass(frozen=True, slots=True)
class Suspended:
    """The key rests and can come back."""

    key: IssuedKey
    reason: SuspendReason
    suspended_at: datetime
    suspended_by: Actor


@dataclass(frozen=True, slots=True)
class Revoked:
    """The key is over, whatever the locks say; what they do say is the settlement."""

    key: IssuedKey
    reason: RevokeReason
    revoked_at: datetime
    replaced_by: CredentialId | None = None
    settlement: tuple[LockSettlement, ...] = ()

    def __post_init__(self) -> None:
        devices = [lock.device_id for lock in self.settlement]
        if len(set(devices)) != len(devices):
            raise InvalidInput("settlement", "a lock appears twice", "Give each lock once")


@dataclass(frozen=True, slots=True)
class Failed:
    """The key never came to be."""

    reason: FailureReason
    failed_at: datetime
    vendor_message: str | None = None


State = Requested | Pending | Active | Suspended | Revoked | Failed
"""Any state of a key credential."""
