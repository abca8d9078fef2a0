"""Staff master keys: scopes, a regime, and when their holder is at work.

| regime | at its locks | at the end of a shift |
|---|---|---|
| per shift | the shift | the key is revoked: it was for this shift |
| standing | the shift that goes on, or the next | the key rests; the next moves it, its secret unchanged |

Whatever becomes of us, the locks end a key with its shift. Decisions 0008 and 0116.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Final

from shared.domain.errors import IllegalTransition, InvalidInput
from shared.domain.ids import (
    CredentialId,
    KeyCredentialId,
    MasterKeyId,
    PropertyId,
    ShiftId,
    TenantId,
    UserId,
)
from shared.domain.instants import Moment, utc
from shared.domain.kinds import KeyCredentialKind, RevokeReason
from shared.domain.schedule import WeeklySchedule, first_turn
from shared.domain.scope import MasterScope
from shared.domain.stored import Stored
from shared.domain.window import StayWindow


@dataclass(frozen=True, slots=True)
class PerShift:
    """The key lives for one shift and is revoked at its end."""

    shift_id: ShiftId


@dataclass(frozen=True, slots=True)
class Duty:
    """A shift that was told of, and that a standing key is to open in whatever its week says."""

    shift_id: ShiftId
    start: Moment
    end: Moment


@dataclass(frozen=True, slots=True)
class Standing:
    """The key outlives shifts: it rests outside its week and the duties that were told of, and wakes inside.

    Whoever went off duty early has it rest until the week's next shift, though `off_until` the week goes on.
    """

    schedule: WeeklySchedule | None = None
    duties: tuple[Duty, ...] = ()
    off_until: Annotated[Moment | None, Stored(omitted=True)] = None

    def turn(self, at: datetime, zone: str) -> StayWindow | None:
        """Return the work that goes on at an instant, or the next to begin."""
        return first_turn(sorted(self._turns(at, zone), key=lambda each: each.start), at)

    def on_duty(self, duty: Duty, at: datetime) -> "Standing":
        """Return the regime with a shift that was told of, without those that are over."""
        others = tuple(each for each in self.duties if each.end > at and each.shift_id != duty.shift_id)
        return replace(self, duties=(*others, duty), off_until=None)

    def off_duty(self, shift: ShiftId, at: datetime) -> "Standing":
        """Return the regime without a shift that ended; what of the week goes on is over with it."""
        duties = tuple(each for each in self.duties if each.end > at and each.shift_id != shift)
        turn = None if self.schedule is None else self.schedule.turn(at)
        off = turn.end if turn is not None and turn.covers(at) else None
        return replace(self, duties=duties, off_until=off)

    def _turns(self, at: datetime, zone: str) -> Iterator[StayWindow]:
        yield from (StayWindow(each.start, each.end, zone) for each in self.duties if each.end > at)
        if self.schedule is not None:
            turn = self.schedule.turn(max(at, self.off_until or at))
            yield from () if turn is None else (turn,)


Regime = PerShift | Standing


class MasterKeyState(StrEnum):
    """The life of a master key; its credentials have lives of their own."""

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

    @property
    def reason(self) -> RevokeReason:
        """Why its credentials are revoked: of the specification's reasons, a planned end is a checkout."""
        planned = self in (ExpiryTrigger.SHIFT_ENDED, ExpiryTrigger.WINDOW_ENDED)
        return RevokeReason.CHECKOUT if planned else RevokeReason.SECURITY


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterKeyIssued:
    """A member of staff holds a master key, which opens within this window."""

    master_key: "MasterKey"
    at: datetime
    window: StayWindow


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterKeyExpired:
    """A master key is over."""

    master_key: "MasterKey"
    at: datetime
    trigger: ExpiryTrigger


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterKey:
    """What one member of staff may open at one property, carried by as few credentials as its locks allow.

    `window` bounds it whatever its regime says. The first credential is the one that events name.
    """

    schema_version: ClassVar[int] = 1

    id: MasterKeyId
    tenant: TenantId
    property_id: PropertyId
    staff: UserId
    scopes: tuple[MasterScope, ...]
    regime: Regime
    window: StayWindow
    changed_at: datetime
    credentials: tuple[KeyCredentialId, ...] = ()
    wished: tuple[KeyCredentialKind, ...] = ()
    kind: KeyCredentialKind | None = None
    state: MasterKeyState = MasterKeyState.REQUESTED
    version: int = 1

    def __post_init__(self) -> None:
        if not self.scopes or len(set(self.scopes)) != len(self.scopes):
            raise InvalidInput("scopes", "empty or repeated", "Give each scope once, the widest first")

    @property
    def over(self) -> bool:
        """Say whether it opens nothing any more, nor ever will."""
        return self.state is MasterKeyState.EXPIRED

    @property
    def standing(self) -> bool:
        """Say whether it outlives shifts."""
        return isinstance(self.regime, Standing)

    def duty(self, at: datetime) -> StayWindow | None:
        """Return the work that goes on at an instant, or the next to begin, as far as the key may open."""
        if isinstance(self.regime, PerShift):
            return self.window if self.window.end > at else None
        turn = self.regime.turn(at, self.window.zone)
        if turn is None or not turn.overlaps(self.window) or self.window.end <= at:
            return None
        return StayWindow(max(turn.start, self.window.start), min(turn.end, self.window.end), turn.zone)

    def issued(
        self, at: datetime, first: CredentialId, kind: KeyCredentialKind, window: StayWindow
    ) -> tuple["MasterKey", MasterKeyIssued]:
        """Note that a credential became active, the first to do so."""
        others = tuple(each for each in self.credentials if each != first)
        named = (KeyCredentialId(first), *others)
        live = replace(self._after(MasterKeyStep.ISSUE, at), credentials=named, kind=kind)
        return live, MasterKeyIssued(master_key=live, at=live.changed_at, window=window)

    def expired(self, at: datetime, trigger: ExpiryTrigger) -> tuple["MasterKey", MasterKeyExpired]:
        """End the master key; its credentials are withdrawn beside it."""
        over = self._after(MasterKeyStep.EXPIRE, at)
        return over, MasterKeyExpired(master_key=over, at=over.changed_at, trigger=trigger)

    def _after(self, step: MasterKeyStep, at: datetime) -> "MasterKey":
        allowed = MASTER_KEY_TABLE[self.state]
        if step not in allowed:
            raise IllegalTransition(self.state, step, allowed)
        when = max(utc(at, "at"), self.changed_at)
        return replace(self, state=allowed[step], version=self.version + 1, changed_at=when)
