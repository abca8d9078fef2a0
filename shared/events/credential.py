"""The life of a credential as published: B §2.1 to 2.6 and our two extensions."""

from typing import Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from shared.events.wire import (
    Area,
    Code,
    Count,
    DeviceId,
    ExchangeRef,
    Flag,
    GuestId,
    Instant,
    KeyCredentialId,
    KeyKind,
    LocalCredentialId,
    Maybe,
    PerhapsRooms,
    PropertyId,
    Published,
    ReservationId,
    RevokeReason,
    Sha256,
    SuspendReason,
    UserId,
    VendorCode,
    WarningCode,
    in_order,
    text,
)

HolderKind = Literal["guest", "staff"]
SetRole = Literal["first", "joiner", "copy", "replacement", "one_shot"]
DeepLink = Annotated[
    str,
    StringConstraints(
        pattern=r"^melmastoon://tenant/[a-z0-9][a-z0-9-]{0,62}/keys/key_[0-7][0-9A-HJKMNP-TV-Z]{25}$"
    ),
]
Floor = Annotated[str, text(16)]

_STAFF_OR_GUEST: dict[str, Any] = {
    "if": {"properties": {"holderKind": {"const": "staff"}}, "required": ["holderKind"]},
    "then": {"required": ["staffUserId"]},
    "else": {"required": ["reservationId", "guestId"], "properties": {"rooms": {"minItems": 1}}},
}


class Held(Published):
    """Whose key it is and for which rooms: a guest's unless it says staff, whose keys may open areas only."""

    model_config = ConfigDict(json_schema_extra=_STAFF_OR_GUEST)

    holder_kind: Maybe[HolderKind] = None
    reservation_id: Maybe[ReservationId] = None
    guest_id: Maybe[GuestId] = None
    staff_user_id: Maybe[UserId] = None
    rooms: PerhapsRooms

    @model_validator(mode="after")
    def _names_its_holder(self) -> Self:
        staff = self.holder_kind == "staff"
        if not staff and not self.rooms:
            raise PydanticCustomError("no_room", "a guest's key opens no room")
        named = (self.staff_user_id,) if staff else (self.reservation_id, self.guest_id)
        if None in named:
            missing = "staffUserId" if staff else "reservationId and guestId"
            raise PydanticCustomError("holder", "its holder is not named by {missing}", {"missing": missing})
        return self


class Window(Published):
    """When a key is meant to open."""

    valid_from: Instant
    valid_until: Instant

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> Self:
        in_order(self.valid_from, self.valid_until)
        return self


class Scope(Published):
    """What a key opens besides its rooms."""

    floors: Maybe[tuple[Floor, ...]] = None
    areas: Maybe[tuple[Area, ...]] = None
    back_of_house: Maybe[Flag] = None


class Warned(Published):
    """What its holder's people need to know about a key."""

    code: WarningCode
    detail: Annotated[str, Field(max_length=300)]


class CredentialRequestedV1(Held, Window):
    """The saga started an issuance (B §2.1)."""

    key_credential_id: KeyCredentialId
    property_id: PropertyId
    preferred_kinds: Annotated[tuple[KeyKind, ...], Field(max_length=5)]
    vendor: VendorCode
    idempotency_key: Sha256
    set_role: Maybe[SetRole] = None
    replaces: Maybe[KeyCredentialId] = None


class CredentialPendingV1(Published):
    """The intent is durable and the vendor may have it (our extension)."""

    key_credential_id: KeyCredentialId
    property_id: PropertyId
    vendor: VendorCode
    kind: KeyKind
    pending_at: Instant


class Artifact(Published):
    """What sort of thing the holder gets, and the single-use reference to exchange for it; never it."""

    type: Literal["pin", "mobile_token", "qr", "nfc", "rfid_card_ready_at"]
    opaque_ref: ExchangeRef


class Delivery(Published):
    """How the key reaches its holder."""

    artifact: Maybe[Artifact] = None
    deep_link: Maybe[DeepLink] = None


UNDELIVERED: Final = Delivery()
"""What is said of a key that has not come to its holder; it cannot be changed, and so one serves all."""


class IssuedMetadata(Published):
    """What sets a staff master apart from a guest's key (A §12.3)."""

    kind: Maybe[Literal["staff_master"]] = None


class CredentialIssuedV1(Held, Window):
    """The vendor confirmed the key; the credential is active (B §2.2)."""

    key_credential_id: KeyCredentialId
    property_id: PropertyId
    holder_kind: HolderKind
    kind: KeyKind
    scope: Maybe[Scope] = None
    vendor: VendorCode
    provisional: Flag
    delivery: Delivery
    issued_at: Instant
    warnings: tuple[Warned, ...]
    effective: Maybe[Window] = None
    set_role: Maybe[SetRole] = None
    replaces: Maybe[KeyCredentialId] = None
    local_id: Maybe[LocalCredentialId] = None
    metadata: Maybe[IssuedMetadata] = None


class CredentialFailedV1(Published):
    """No vendor gave a key; the booking stays confirmed (B §2.3)."""

    key_credential_id: KeyCredentialId
    property_id: Maybe[PropertyId] = None
    reservation_id: Maybe[ReservationId] = None
    staff_user_id: Maybe[UserId] = None
    vendor: VendorCode
    failure_reason: Code
    vendor_message: Maybe[Annotated[str, text(300)]] = None
    attempts: Count
    last_attempt_at: Maybe[Instant] = None


class InstantChange(Published):
    """An instant that moved."""

    before: Instant = Field(alias="from")
    after: Instant = Field(alias="to")


class RoomsChange(Published):
    """Rooms that were swapped."""

    before: PerhapsRooms = Field(alias="from")
    after: PerhapsRooms = Field(alias="to")


class ScopeChange(Published):
    """A scope that was redrawn."""

    before: Scope = Field(alias="from")
    after: Scope = Field(alias="to")


class StayChange(Published):
    """The stay that a key was of, and its guest's next, whose it is now."""

    before: ReservationId = Field(alias="from")
    after: ReservationId = Field(alias="to")


class Changes(Published):
    """What was asked to be different; what the locks really enforce stands beside it."""

    valid_from: Maybe[InstantChange] = None
    valid_until: Maybe[InstantChange] = None
    rooms: Maybe[RoomsChange] = None
    scope: Maybe[ScopeChange] = None
    reservation_id: Maybe[StayChange] = None


class CredentialUpdatedV1(Published):
    """An active key was extended, contracted or moved (B §2.4)."""

    key_credential_id: KeyCredentialId
    property_id: Maybe[PropertyId] = None
    changes: Changes
    vendor: VendorCode
    updated_at: Instant
    effective: Maybe[Window] = None
    warnings: Maybe[tuple[Warned, ...]] = None


class RevokedMetadata(Published):
    """`vendorRevokeOk: false` means not yet confirmed at the lock; `revoke_settled` tells how it ended."""

    was_provisional: Flag
    vendor_revoke_ok: Flag


class CredentialRevokedV1(Published):
    """The key counts as revoked from here on (B §2.5)."""

    key_credential_id: KeyCredentialId
    property_id: Maybe[PropertyId] = None
    reservation_id: Maybe[ReservationId] = None
    staff_user_id: Maybe[UserId] = None
    vendor: VendorCode
    reason: RevokeReason
    revoked_at: Instant
    replaced_by: Maybe[KeyCredentialId] = None
    warnings: Maybe[tuple[Warned, ...]] = None
    metadata: RevokedMetadata


class LockSettlement(Published):
    """How one lock took the revocation, and until when it may still open if it did not."""

    device_id: DeviceId
    ok: Flag
    exposure_until: Maybe[Instant] = None


class CredentialRevokeSettledV1(Published):
    """The vendor's last word on a revocation, lock by lock (our extension)."""

    key_credential_id: KeyCredentialId
    property_id: Maybe[PropertyId] = None
    vendor_revoke_ok: Flag
    locks: tuple[LockSettlement, ...]
    settled_at: Instant


class CredentialSuspendedV1(Published):
    """The key rests until it is unsuspended or revoked (B §2.6)."""

    key_credential_id: KeyCredentialId
    property_id: Maybe[PropertyId] = None
    reason: SuspendReason
    suspended_at: Instant


class CredentialUnsuspendedV1(Published):
    """The key works again (B §2.6)."""

    key_credential_id: KeyCredentialId
    property_id: Maybe[PropertyId] = None
    reason: Maybe[SuspendReason] = None
    unsuspended_at: Instant
    unsuspended_by: Annotated[str, StringConstraints(pattern="^(saga|usr_[0-9A-Za-z_-]{1,64})$")]
