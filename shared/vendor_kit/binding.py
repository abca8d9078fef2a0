"""What an adapter is bound to, what it is given to work with, and how it is opened."""

from collections.abc import Callable
from dataclasses import dataclass

from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, RoomId, TenantId
from shared.domain.kinds import VendorCode
from shared.domain.policy import KeyKindPolicy
from shared.domain.premises import LockDevice, Locks, Property, doors_of
from shared.domain.scope import NO_SCOPE, AccessScope
from shared.domain.secret import Secret
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import DocumentStore
from shared.ports.leases import Leases
from shared.ports.lock import LockVendor
from shared.ports.vault import Cipher
from shared.vendor_kit.guard import Guards
from shared.vendor_kit.http import Http


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One property of one tenant: its locks of one vendor, its policy, and the vendor's account as stored."""

    vendor: VendorCode
    tenant: TenantId
    property: Property
    devices: tuple[LockDevice, ...]
    policy: KeyKindPolicy
    account: Secret[bytes]

    def __post_init__(self) -> None:
        if any((each.vendor, each.property_id) != (self.vendor, self.property.id) for each in self.devices):
            remedy = f"Give only {self.vendor}'s locks of the property"
            raise InvalidInput("devices", "a lock of another vendor or property", remedy)
        object.__setattr__(self, "devices", Locks(self.devices))

    def device(self, device_id: LockDeviceId) -> LockDevice | None:
        """Return a lock of ours, or None."""
        return next((each for each in self.devices if each.id == device_id), None)

    def doors(self, rooms: tuple[RoomId, ...], scope: AccessScope = NO_SCOPE) -> tuple[LockDevice, ...]:
        """Return the locks that lead to any of these rooms, or to what a scope adds to them, in order."""
        return doors_of(rooms, self.devices, scope)

    def encoders(self) -> tuple[LockDevice, ...]:
        """The property's encoders of this vendor's cards."""
        return tuple(each for each in self.devices if each.encoder)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterPorts:
    """What every adapter of a process works with; `sealed` is the database of what only ciphers read."""

    http: Http
    clock: Clock
    entropy: Entropy
    leases: Leases
    documents: DocumentStore
    sealed: DocumentStore
    cipher: Cipher
    guards: Guards


OpenVendor = Callable[[Binding, AdapterPorts], LockVendor]
"""What each `shared.vendors.<vendor>.adapter` calls `open_vendor`."""
