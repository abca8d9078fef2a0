"""The LockPort (A §4): what the fleet, the desk and the staff ask of a vendor's keys, whole keys at a time.

Every method takes an idempotency key or works on an id that is idempotent by itself. What issuing returns
never leaves the adapter's process: the vendor's reference and the artifact are Secrets. `shared.keywork.port`
is the one that runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from shared.domain.ids import (
    CredentialId,
    GuestId,
    KeyCredentialId,
    LockDeviceId,
    PropertyId,
    ReservationId,
    RoomId,
    TenantId,
    UserId,
)
from shared.domain.kinds import KeyCredentialKind, KeyWarning, RevokeReason, SuspendReason, VendorCode
from shared.domain.scope import AccessScope
from shared.domain.secret import Secret
from shared.ports.lock import AdapterDescription, DeviceHealth, ListedDevice

ArtifactType = Literal["pin", "mobile_token", "qr", "nfc", "rfid_card_ready_at"]


@dataclass(frozen=True, slots=True)
class Contact:
    """How a vendor's app may reach the holder; told to vendors that cannot do without."""

    email: Secret[str] | None = None
    phone_e164: Secret[str] | None = None


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """Who will carry the key: a guest, or a member of staff treated as one (A §12.3)."""

    id: GuestId | UserId
    display_name: Secret[str]
    contact: Contact = Contact()


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueInput:
    """A key to make."""

    tenant_id: TenantId
    property_id: PropertyId
    reservation_id: ReservationId | None
    rooms: tuple[RoomId, ...]
    valid_from: datetime
    valid_until: datetime
    holder: KeyHolder
    preferred_kinds: tuple[KeyCredentialKind, ...]
    idempotency_key: str
    scope: AccessScope | None = None
    requested_by: UserId | None = None
    channel_hint: Literal["mobile", "desk", "kiosk"] | None = None


@dataclass(frozen=True, slots=True)
class Artifact:
    """What the holder is given: a PIN, or a reference that only the vendor's app understands."""

    type: ArtifactType
    value: Secret[str] | None = None
    device_id: LockDeviceId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedCredential:
    """A key that the vendor has made."""

    key_credential_id: CredentialId
    kind: KeyCredentialKind
    valid_from: datetime
    valid_until: datetime
    rooms: tuple[RoomId, ...]
    vendor: VendorCode
    vendor_ref: Secret[str]
    provisional: bool
    issued_at: datetime
    artifact: Artifact | None = None
    deep_link: str | None = None


@dataclass(frozen=True, slots=True)
class IssueResult:
    """The key, and what must be said of it."""

    credential: IssuedCredential
    warnings: tuple[KeyWarning, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateInput:
    """What is to change of a key; what is None stays."""

    tenant_id: TenantId
    key_credential_id: KeyCredentialId
    idempotency_key: str
    rooms: tuple[RoomId, ...] | None = None
    valid_until: datetime | None = None
    scope: AccessScope | None = None


class LockPort(Protocol):
    """One vendor, for one property of one tenant. Everything it raises is a LockError."""

    async def issue_credential(self, request: IssueInput) -> IssueResult:
        """Make a key; the same idempotency key makes it once."""

    async def update_credential(self, request: UpdateInput) -> IssueResult:
        """Change a key's rooms, end or scope."""

    async def revoke_credential(
        self, credential_id: CredentialId, reason: RevokeReason, idempotency_key: str
    ) -> None:
        """Take a key back; one that is gone already is success."""

    async def suspend_credential(
        self, credential_id: CredentialId, reason: SuspendReason, idempotency_key: str
    ) -> None:
        """Let a key rest."""

    async def unsuspend_credential(self, credential_id: CredentialId, idempotency_key: str) -> None:
        """Let a resting key open again."""

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return the property's locks."""

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Ask a lock how it is."""

    def describe_adapter(self) -> AdapterDescription:
        """Say what this adapter can do."""
