"""Staff master keys as published: B §2.11 to 2.12, with the scopes of A §12.1."""

from typing import Annotated, Literal

from pydantic import Field

from shared.events.credential import Floor, Window
from shared.events.wire import (
    Area,
    DottedCode,
    Instant,
    KeyCredentialId,
    KeyKind,
    MasterKeyId,
    Maybe,
    PropertyId,
    Published,
    RoomId,
    UserId,
)


class RoomScope(Published):
    """One room, for one repair."""

    kind: Literal["room"]
    room_id: RoomId


class FloorScope(Published):
    """Every room of a floor."""

    kind: Literal["floor"]
    floor: Floor


class AreaScope(Published):
    """One common area."""

    kind: Literal["area"]
    area: Area


class NamedScope(Published):
    """A scope that needs no further word."""

    kind: Literal["rooms_assigned", "rooms_all", "areas_all", "back_of_house"]


MasterScope = Annotated[RoomScope | FloorScope | AreaScope | NamedScope, Field(discriminator="kind")]


class MasterKeyIssuedV1(Window):
    """A member of staff holds a master key (B §2.11); of several scopes or credentials, all stand beside."""

    master_key_id: MasterKeyId
    key_credential_id: KeyCredentialId
    staff_user_id: UserId
    property_id: PropertyId
    scope: MasterScope
    kind: KeyKind
    issued_at: Instant
    scopes: Maybe[tuple[MasterScope, ...]] = None
    key_credential_ids: Maybe[tuple[KeyCredentialId, ...]] = None


class MasterKeyExpiredV1(Published):
    """A master key ended, and what ended it (B §2.12)."""

    master_key_id: MasterKeyId
    key_credential_id: KeyCredentialId
    staff_user_id: UserId
    expired_at: Instant
    trigger: DottedCode
    property_id: Maybe[PropertyId] = None
