"""What a desk writes to its own outbox while offline (B §7): never on Pub/Sub, only in /sync/v1/push."""

from typing import Annotated, Any

from pydantic import Field, SecretStr

from shared.events.credential import Window
from shared.events.wire import (
    Flag,
    Instant,
    KeyCredentialId,
    KeyKind,
    LocalCredentialId,
    Maybe,
    OpaqueId,
    PropertyId,
    Published,
    ReservationId,
    RevokeReason,
    Rooms,
    TenantId,
    VendorCode,
)

Base64Signature = Annotated[str, Field(pattern="^[0-9A-Za-z+/_-]{86}(==)?$")]


class CredentialIssuedLocalV1(Window):
    """A desk made a key under its offline certificate; the vendor's reference is masked in every repr."""

    local_id: LocalCredentialId
    tenant_id: TenantId
    property_id: PropertyId
    reservation_id: ReservationId
    kind: KeyKind
    rooms: Rooms
    vendor_ref: SecretStr
    cert_serial: OpaqueId
    issued_at: Instant
    device_sig: Base64Signature
    vendor: Maybe[VendorCode] = None
    """Whose locks it opens; an extension, as a desk may make keys of several vendors."""
    replaces: Maybe[OpaqueId] = None
    """The key that it stands in for, by whichever name the desk knows it; an extension."""

    def for_sync(self) -> dict[str, Any]:
        """The document for /sync/v1/push, the one place where the vendor's reference travels."""
        document = self.model_dump(mode="json", by_alias=True)
        told = {name: value for name, value in document.items() if value is not None}
        return {**told, "vendorRef": self.vendor_ref.get_secret_value()}


class CredentialRevokedLocalV1(Published):
    """A desk withdrew a key; which one is named by its local id or the canonical one it already has."""

    local_id: Maybe[LocalCredentialId] = None
    key_credential_id: Maybe[KeyCredentialId] = None
    tenant_id: TenantId
    property_id: PropertyId
    reservation_id: Maybe[ReservationId] = None
    reason: RevokeReason
    removed_at_lock: Flag
    cert_serial: OpaqueId
    revoked_at: Instant
    device_sig: Base64Signature
