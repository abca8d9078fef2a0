"""What a key credential is for, whatever state it is in."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import (
    CredentialId,
    GuestId,
    MasterKeyId,
    PropertyId,
    ProvisionalKeyId,
    ReservationId,
    RoomId,
    TenantId,
    UserId,
)
from shared.domain.kinds import ClaimKey, KeyWarning, Origin, SetRole
from shared.domain.plan import IssuePlan
from shared.domain.replacing import born_open
from shared.domain.scope import NO_SCOPE, AccessScope
from shared.domain.stored import Stored
from shared.domain.window import StayWindow

PROVISIONAL_CAP: Final = timedelta(hours=48)


@dataclass(frozen=True, slots=True)
class Guest:
    """A guest holds the key, for a reservation."""

    guest_id: GuestId
    reservation_id: ReservationId


@dataclass(frozen=True, slots=True)
class Staff:
    """A member of staff holds the key, mostly as part of a master key; a standing one outlives its window."""

    user_id: UserId
    master_key_id: MasterKeyId | None = None
    standing: Annotated[bool, Stored(omitted=True)] = False


Holder = Guest | Staff


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialCore:
    """Who may open what, when, and how we mean to bring it about."""

    id: CredentialId
    tenant: TenantId
    property_id: PropertyId
    holder: Holder
    rooms: tuple[RoomId, ...]
    window: StayWindow
    plan: IssuePlan
    claim: ClaimKey
    scope: AccessScope = NO_SCOPE
    role: SetRole = SetRole.FIRST
    origin: Origin = Origin.CLOUD
    local_id: ProvisionalKeyId | None = None
    replaces: CredentialId | None = None
    warnings: tuple[KeyWarning, ...] = ()

    def __post_init__(self) -> None:
        self._check_reach()
        self._check_origin()
        self._check_replacement()

    @property
    def provisional(self) -> bool:
        """Say whether the cloud has yet to confirm what the desk did; the id alone decides it."""
        return isinstance(self.id, ProvisionalKeyId)

    @property
    def was_provisional(self) -> bool:
        """Say whether the key began at a desk without the cloud."""
        return self.provisional or self.local_id is not None

    def _check_reach(self) -> None:
        if len(set(self.rooms)) != len(self.rooms):
            raise InvalidInput("rooms", "a room appears twice", "Give each room once")
        if not self.rooms and (isinstance(self.holder, Guest) or not self.scope):
            raise InvalidInput(
                "rooms", "the key opens nothing", "Give a room, or for staff a floor or an area"
            )

    def _check_origin(self) -> None:
        if self.was_provisional and self.origin is not Origin.DESK:
            raise InvalidInput("origin", "a provisional key not made at a desk", "Set the origin to desk")
        if self.provisional and self.local_id is not None:
            raise InvalidInput("localId", "a provisional key has a second local id", "Leave localId out")
        if self.provisional and self.window.duration > PROVISIONAL_CAP:
            remedy = "End it 48 hours after validFrom at most; the cloud extends it on reconnect"
            raise InvalidInput("validUntil", "too far away for a provisional key", remedy)

    def _check_replacement(self) -> None:
        if (self.role is SetRole.REPLACEMENT) != (self.replaces is not None):
            remedy = "Give role replacement and the replaced key together, or neither"
            raise InvalidInput("replaces", "it does not fit the role", remedy)
        if self.replaces is not None and self.replaces == self.id:
            raise InvalidInput("replaces", "a key cannot replace itself", "Name the older key")
