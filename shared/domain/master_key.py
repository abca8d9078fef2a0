"""Staff master keys: a scope, a regime, and what the end of a shift does to them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Final

from shared.domain.commands import Fail, Revoke, Suspend, Unsuspend
from shared.domain.credential import KeyCredential
from shared.domain.errors import IllegalTransition
from shared.domain.ids import KeyCredentialId, MasterKeyId, PropertyId, ShiftId, TenantId, UserId
from shared.domain.instants import utc
from shared.domain.kinds import SAGA, KeyCredentialKind, RevokeReason, SuspendReason
from shared.domain.reactions import withdrawal
from shared.domain.schedule import WeeklySchedule
from shared.domain.scope import MasterScope
from shared.domain.states import Active, Suspended
from shared.domain.window import StayWindow


@dataclass(frozen=True, slots=True)
class PerShift:
    """The key lives for one shift and is revoked at its end."""

    shift_id: ShiftId


@dataclass(frozen=True, slots=True)
class Standing:
    """The key outlives shifts: it rests outside the schedule and wakes inside it."""

    schedule: WeeklySchedule


Regime = PerShift | Standing


class MasterKeyState(StrEnum):
    """The life of a master key; its credential has one of its own."""

    REQUESTED = "requested"
    LIVE = "live"
    EXPIRED = "expired"


class MasterKeyStep(StrEnum):
    """What happens to a master key."""

    ISSUE = "issue"
    EXPIRE = "expire"


MASTER_KEY_TABLE: Final[Mapping[MasterKeyState, Mapping[MasterKeyStep, MasterKeyState]]] = {
    MasterKeyState.REQUESTED: {
        MasterKeyStep.ISSUE: MasterKeyState.LIVE,
        MasterKeyStep.EXPIRE: MasterKeyState.EXPIRED,
    },
    MasterKeyState.LIVE: {MasterKeyStep.EXPIRE: MasterKeyState.EXPIRED},
    MasterKeyState.EXPIRED: {},
}


class ExpiryTrigger(StrEnum):
    """Why a master key ended."""

    SHIFT_ENDED = "shift.ended"
    WINDOW_ENDED = "window.ended"
    USER_DEACTIVATED = "user.deactivated"
    PROPERTY_DEACTIVATED = "property.deactivated"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterKeyIssued:
    """A member of staff holds a master key."""

    master_key: "MasterKey"
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterKeyExpired:
    """A master key is over."""

    master_key: "MasterKey"
    at: datetime
    trigger: ExpiryTrigger


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterKey:
    """What one member of staff may open at one property, carried by one credential."""

    schema_version: ClassVar[int] = 1

    id: MasterKeyId
    tenant: TenantId
    property_id: PropertyId
    staff: UserId
    credential_id: KeyCredentialId
    scope: MasterScope
    regime: Regime
    window: StayWindow
    kind: KeyCredentialKind
    changed_at: datetime
    state: MasterKeyState = MasterKeyState.REQUESTED
    version: int = 1

    def issued(self, at: datetime) -> tuple["MasterKey", MasterKeyIssued]:
        """Note that the credential became active."""
        live = self._after(MasterKeyStep.ISSUE, at)
        return live, MasterKeyIssued(master_key=live, at=live.changed_at)

    def expired(self, at: datetime, trigger: ExpiryTrigger) -> tuple["MasterKey", MasterKeyExpired]:
        """End the master key; its credential is withdrawn beside it."""
        over = self._after(MasterKeyStep.EXPIRE, at)
        return over, MasterKeyExpired(master_key=over, at=over.changed_at, trigger=trigger)

    def at_shift_end(self, credential: KeyCredential, at: datetime) -> Revoke | Fail | Suspend | None:
        """Return what the end of the shift asks of the credential in its present state."""
        if isinstance(self.regime, PerShift):
            # The reasons are the specification's; of them a planned end is a checkout.
            return withdrawal(credential, RevokeReason.CHECKOUT, at=at)
        return _rest(credential, at)

    def by_schedule(self, credential: KeyCredential, at: datetime) -> Suspend | Unsuspend | None:
        """Return what the schedule asks of a standing key at an instant; a per-shift key has no schedule."""
        if isinstance(self.regime, PerShift):
            return None
        return _wake(credential, at) if self.regime.schedule.covers(at) else _rest(credential, at)

    def _after(self, step: MasterKeyStep, at: datetime) -> "MasterKey":
        allowed = MASTER_KEY_TABLE[self.state]
        if step not in allowed:
            raise IllegalTransition(self.state, step, allowed)
        when = max(utc(at, "at"), self.changed_at)
        return replace(self, state=allowed[step], version=self.version + 1, changed_at=when)


def _rest(credential: KeyCredential, at: datetime) -> Suspend | None:
    return Suspend(at=at, reason=SuspendReason.MANUAL) if isinstance(credential.state, Active) else None


def _wake(credential: KeyCredential, at: datetime) -> Unsuspend | None:
    """Wake only what the schedule itself put to rest, never what a person or a review stopped."""
    state = credential.state
    slept = isinstance(state, Suspended) and (state.reason, state.suspended_by) == (
        SuspendReason.MANUAL,
        SAGA,
    )
    return Unsuspend(at=at) if slept else None
