"""What may be asked of a key credential; whether its state takes it is the lifecycle table's business."""

from dataclasses import dataclass
from datetime import datetime

from shared.domain.core import Guest
from shared.domain.ids import CredentialId, RoomId
from shared.domain.kinds import (
    SAGA,
    Actor,
    ClaimKey,
    FailureReason,
    KeyWarning,
    RevokeReason,
    SuspendReason,
)
from shared.domain.scope import AccessScope
from shared.domain.scrub import scrub
from shared.domain.window import StayWindow


@dataclass(frozen=True, slots=True, kw_only=True)
class _Command:
    at: datetime
    by: Actor = SAGA


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept(_Command):
    """The grants are written and the vendor is about to be called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provision(_Command):
    """The vendor confirmed the key at every lock, with the window they enforce if it is another."""

    effective: StayWindow | None = None
    warnings: tuple[KeyWarning, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail(_Command):
    """Give up, or learn that nobody wants the key any more; the vendor's message is scrubbed here."""

    reason: FailureReason
    vendor_message: str | None = None

    def __post_init__(self) -> None:
        if self.vendor_message is not None:
            object.__setattr__(self, "vendor_message", scrub(self.vendor_message))


@dataclass(frozen=True, slots=True, kw_only=True)
class Amend(_Command):
    """The vendor confirmed other rooms, window or scope; what is not given stays."""

    rooms: tuple[RoomId, ...] | None = None
    window: StayWindow | None = None
    scope: AccessScope | None = None
    effective: StayWindow | None = None
    warnings: tuple[KeyWarning, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOver(_Command):
    """The stay is over, and the key goes on as that of its guest's next one."""

    holder: Guest
    claim: ClaimKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspend(_Command):
    """Let the key rest."""

    reason: SuspendReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsuspend(_Command):
    """Bring a resting key back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoke(_Command):
    """End the key at once; the locks follow."""

    reason: RevokeReason
    replaced_by: CredentialId | None = None
    warnings: tuple[KeyWarning, ...] = ()


Command = Accept | Provision | Fail | Amend | HandOver | Suspend | Unsuspend | Revoke
"""Any command to a key credential."""
