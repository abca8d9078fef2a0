"""Where keys open: tenants, their properties, rooms, and the locks on the doors between them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from shared.domain.capabilities import LockCapabilities
from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId, RoomId, TenantId
from shared.domain.kinds import VendorCode
from shared.domain.window import zone_named


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A hotel company, pinned to the cell that may hold its records."""

    schema_version: ClassVar[int] = 1

    id: TenantId
    name: str
    data_residency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One hotel, and the clock on its wall."""

    schema_version: ClassVar[int] = 1

    id: PropertyId
    name: str
    zone: str

    def __post_init__(self) -> None:
        zone_named(self.zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A room that guests book."""

    schema_version: ClassVar[int] = 1

    id: RoomId
    property_id: PropertyId
    label: str
    floor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LockDevice:
    """A lock: `vendor_device` is the vendor's own name for it, `rooms` are those it leads to."""

    schema_version: ClassVar[int] = 1

    id: LockDeviceId
    property_id: PropertyId
    vendor: VendorCode
    vendor_device: str
    label: str
    rooms: tuple[RoomId, ...]
    capabilities: LockCapabilities

    def __post_init__(self) -> None:
        if not self.rooms:
            raise InvalidInput("rooms", "empty", "Map the lock to at least one room")


def doors_of(rooms: Iterable[RoomId], devices: Iterable[LockDevice]) -> tuple[LockDevice, ...]:
    """Return the locks that lead to any of these rooms, in order."""
    wanted = frozenset(rooms)
    return tuple(device for device in devices if not wanted.isdisjoint(device.rooms))
