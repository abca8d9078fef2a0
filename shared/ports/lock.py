"""The LockPort (A §4): the only thing anybody knows of a lock vendor.

Every method takes an idempotency key or works on an id that is idempotent by itself. No method returns a
vendor's types, and every failure is a LockError. What issuing returns never leaves the adapter's process: the
vendor's reference and the artifact are Secrets, and only their sealed forms are kept.

LockVendor is the same thing lock by lock, which is how vendors work and how the ledger keeps grants.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, Protocol

from shared.domain.capabilities import LockCapabilities
from shared.domain.grant_lifecycle import Placement
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
from shared.domain.lock_errors import LockError
from shared.domain.scope import NO_SCOPE, AccessScope
from shared.domain.secret import Secret

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


@dataclass(frozen=True, slots=True)
class Battery:
    """What is left of a lock's battery."""

    percent: int
    low_threshold_percent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDevice:
    """A lock as its vendor lists it."""

    device_id: LockDeviceId
    property_id: PropertyId
    vendor: VendorCode
    label: str
    rooms: tuple[RoomId, ...]
    online: bool
    last_seen_at: datetime
    capabilities: LockCapabilities
    battery: Battery | None = None
    firmware: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceHealth:
    """How a lock is."""

    device_id: LockDeviceId
    online: bool
    battery: Battery | None = None
    clock_skew_ms: int | None = None
    last_sync_at: datetime | None = None
    warnings: tuple[KeyWarning, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class AdapterDescription:
    """Which vendor an adapter speaks to, and what it can do."""

    vendor: VendorCode
    capabilities: LockCapabilities


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LockKey:
    """One lock's share of a key, written down with its name and its secret before the vendor is told.

    The name tells it from every other key at the lock. `secret` is what this kind needs: the PIN, the card's
    number, the account that an app's key is sent to. `intent_predates`: an earlier call, perhaps one that
    was never heard of again, may have placed it. `not_before`: when the room's previous guest leaves.
    `any_secret`: the vendor may choose another secret, as it must where the lock cannot be reached; only for
    keys to a single lock, because the guest of several would hold several. `vendor_device`: the vendor's own
    name of the lock, where the key is known to be for that one, whichever hangs at the door by now. `scope`:
    the floors and areas that the key opens besides, for vendors whose locks know of such.
    """

    device_id: LockDeviceId
    kind: KeyCredentialKind
    name: str
    valid_from: datetime
    valid_until: datetime
    idempotency_key: str
    secret: Secret[str] | None = None
    intent_predates: bool = True
    not_before: datetime | None = None
    any_secret: bool = False
    vendor_ref: Secret[str] | None = None
    vendor_device: str | None = None
    scope: AccessScope = NO_SCOPE


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyAtLock:
    """A key as it stands at a lock: where the vendor chose window or secret, these are the vendor's."""

    vendor_ref: Secret[str]
    valid_from: datetime
    valid_until: datetime
    exposure_until: datetime | None
    placement: Placement = Placement.ACCEPTED
    secret: Secret[str] | None = None
    warnings: tuple[KeyWarning, ...] = ()


class LockVendor(Protocol):
    """One vendor, for one property of one tenant, lock by lock; all that it refuses, it refuses as LockError.

    Every method may be called again with the same key, after any failure, and then does what is left to do.
    """

    def visit(self) -> AbstractAsyncContextManager[None]:
        """Do inside what one request does at several locks: what does one thing at a time is waited for once.

        It is held from one lock to the next and given back at the end, however that comes.
        """

    async def find(self, key: LockKey) -> KeyAtLock | None:
        """Return the key of this name as it stands at the lock, or None."""

    async def place(self, key: LockKey) -> KeyAtLock:
        """See to it that the key of this name opens the lock within its window, and once."""

    async def remove(self, key: LockKey) -> None:
        """See to it that no key of this name is at the lock; one that is gone already is success."""

    async def suspend(self, key: LockKey) -> None:
        """See to it that the key does not open for now; its secret stays sealed with the caller."""

    async def unsuspend(self, key: LockKey) -> KeyAtLock:
        """See to it that a resting key opens again, with the same secret."""

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return those of the property's locks that the vendor knows."""

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Ask a lock how it is."""

    def describe_adapter(self) -> AdapterDescription:
        """Say what this adapter can do."""

    def wait_after(self, error: LockError) -> timedelta | None:
        """Say how long the vendor wants to be left alone after this error; None where it does not say."""
