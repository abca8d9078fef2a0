"""A lock vendor, lock by lock: the only thing anybody knows of one, and how the ledger keeps grants.

Every method works on a name that is idempotent by itself. No method returns a vendor's types, and every
failure is a LockError. The vendor's reference and the secret are Secrets, and only their sealed forms are
kept. A vendor need not answer at once: what it has `InHand` it tells of later. Decision 0064.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

from shared.domain.capabilities import LockCapabilities
from shared.domain.errors import InvalidInput
from shared.domain.grant_lifecycle import Placement
from shared.domain.ids import LockDeviceId, PropertyId, RoomId
from shared.domain.instants import utc
from shared.domain.kinds import KeyCredentialKind, KeyWarning, SetRole, VendorCode
from shared.domain.lock_errors import LockError
from shared.domain.replacing import born_open
from shared.domain.scope import NO_SCOPE, AccessScope
from shared.domain.secret import Secret
from shared.ports.secret_sources import SecretSource

_JOB: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,119}")


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
    hardware: str | None = None
    """What tells this very lock from any other of its make, where the vendor says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceHealth:
    """How a lock is."""

    device_id: LockDeviceId
    online: bool
    battery: Battery | None = None
    clock_skew_ms: int | None = None
    last_sync_at: datetime | None = None
    warnings: tuple[KeyWarning, ...] = field(default=())
    firmware: str | None = None


@dataclass(frozen=True, slots=True)
class AdapterDescription:
    """Which vendor an adapter speaks to, and what it can do.

    `at_once`: kinds that are one artifact for all locks of a key, such as a card: asked for with `place_all`.
    `sources`: whence the secret of a kind comes, where that is not as usual (`secret_sources.SOURCES`).
    """

    vendor: VendorCode
    capabilities: LockCapabilities
    at_once: frozenset[KeyCredentialKind] = frozenset()
    sources: Mapping[KeyCredentialKind, SecretSource] = field(default_factory=dict)
    oldest_firmware: str | None = None
    """Older locks are told of as out of date, where the vendor says which those are."""
    capacity: Mapping[KeyCredentialKind, int] = field(default_factory=dict)
    """How many keys of a kind one lock keeps, where the vendor says so."""


@dataclass(frozen=True, slots=True)
class InHand:
    """The vendor has it in hand, and tells later what came of it.

    `job` is the vendor's name for it, which is told to others and must be no secret. Nobody having told by
    `until`, the job's `status` is asked for, and where that says no more, the attempt has failed. `encoder`
    is the device at a desk that it waits for.
    """

    job: str
    until: datetime
    encoder: LockDeviceId | None = None

    def __post_init__(self) -> None:
        if not _JOB.fullmatch(self.job):
            raise InvalidInput(
                "job", "not a job's name", "Give up to 120 letters, digits, '.', '_', ':', '-'"
            )
        object.__setattr__(self, "until", utc(self.until, "until"))


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class LockKey:
    """One lock's share of a key, written down with its name and its secret before the vendor is told.

    The name tells it from every other key at the lock. `secret` is what this kind needs: the PIN, the card's
    number, the account that an app's key is sent to. `intent_predates`: an earlier call, perhaps one that
    was never heard of again, may have placed it. `not_before`: when the room's previous guest leaves;
    `not_after`: when the next one comes.
    `any_secret`: the vendor may choose another secret, as it must where the lock cannot be reached; only for
    keys to a single lock, because the guest of several would hold several. `vendor_device`: the vendor's own
    name of the lock, where the key is known to be for that one, whichever hangs at the door by now. `scope`:
    the floors and areas that the key opens besides, for vendors whose locks know of such. `set_name` is the
    same at all locks of the key: that of its one artifact, where a vendor makes one. `role`: what the key is
    among those of its room, for vendors at which a first key voids all before it; `instead_of`: names of
    the keys in whose place it comes, if those are to open no more.
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
    not_after: datetime | None = None
    any_secret: bool = False
    vendor_ref: Secret[str] | None = None
    vendor_device: str | None = None
    scope: AccessScope = NO_SCOPE
    set_name: str = ""
    role: SetRole = SetRole.FIRST
    instead_of: frozenset[str] = frozenset()


@born_open
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


Placing = KeyAtLock | InHand | LockError
"""What becomes of one of several keys to place."""
Removing = InHand | LockError | None
"""What becomes of one of several keys to remove: None where it is gone."""


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

    async def place(self, key: LockKey) -> KeyAtLock | InHand:
        """See to it that the key of this name opens the lock within its window, and once."""

    async def place_all(self, keys: Sequence[LockKey]) -> Sequence[Placing]:
        """See to it that one key, whose shares these are, opens all its locks; each answer in its place."""

    async def remove(self, key: LockKey) -> InHand | None:
        """See to it that no key of this name is at the lock, nor will be by a job in hand.

        One that is gone already is success.
        """

    async def remove_all(self, keys: Sequence[LockKey]) -> Sequence[Removing]:
        """See to it that one key, whose shares these are, is at none of its locks."""

    async def suspend(self, key: LockKey) -> InHand | None:
        """See to it that the key does not open for now; its secret stays sealed with the caller."""

    async def unsuspend(self, key: LockKey) -> KeyAtLock | InHand:
        """See to it that a resting key opens again, with the same secret."""

    async def status(self, job: str, keys: Sequence[LockKey]) -> Sequence[KeyAtLock | Removing]:
        """Say what became of a job at each of its locks: None where the key is gone, as it was to be."""

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return those of the property's locks that the vendor knows."""

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Ask a lock how it is."""

    def describe_adapter(self) -> AdapterDescription:
        """Say what this adapter can do."""

    def wait_after(self, error: LockError) -> timedelta | None:
        """Say how long the vendor wants to be left alone after this error; None where it does not say."""
