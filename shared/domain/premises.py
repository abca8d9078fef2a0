"""Where keys open: tenants, their properties, rooms, and the locks on the doors between them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

from shared.domain.capabilities import LockCapabilities
from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId, RoomId, TenantId
from shared.domain.instants import Moment
from shared.domain.kinds import Area, VendorCode
from shared.domain.scope import NO_SCOPE, AccessScope
from shared.domain.stored import Stored
from shared.domain.window import zone_named


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A hotel company, pinned to the cell that may hold its records."""

    schema_version: ClassVar[int] = 1

    id: TenantId
    name: str
    data_residency: str


@dataclass(frozen=True, slots=True)
class NextBuild:
    """Of a hundred keys at a vendor's locks, its adapter's next build is handed a share, in a turn."""

    vendor: VendorCode
    share: int
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One hotel, and the clock on its wall; once it is closed, no key is requested there."""

    schema_version: ClassVar[int] = 1

    id: PropertyId
    name: str
    zone: str
    closed_at: Annotated[Moment | None, Stored(omitted=True)] = None
    next_builds: Annotated[tuple[NextBuild, ...], Stored(omitted=True, rows=True)] = ()
    """The canary (A §15.5): where nothing is said of a vendor, its present build does everything."""

    def __post_init__(self) -> None:
        zone_named(self.zone)

    def next_build(self, vendor: VendorCode) -> NextBuild | None:
        """Return which keys a vendor's next build is handed, if any are."""
        return next((each for each in self.next_builds if each.vendor == vendor), None)


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
    """A lock: `vendor_device` is the vendor's own name for it, `rooms` are those it leads to, if to any.

    A gym's door leads to an area, a lift to a floor, a linen room to what is behind the house. An encoder
    leads nowhere: it writes cards.
    """

    schema_version: ClassVar[int] = 1

    id: LockDeviceId
    property_id: PropertyId
    vendor: VendorCode
    vendor_device: str
    label: str
    rooms: tuple[RoomId, ...]
    capabilities: LockCapabilities
    floor: str | None = None
    areas: tuple[Area, ...] = ()
    back_of_house: bool = False
    encoder: bool = False

    def opened_by(self, scope: AccessScope) -> bool:
        """Say whether a scope leads through it: to its area, behind the house, or to a floor by its lift.

        A door of a room is opened for that room alone: a guest of the second floor has one room there.
        """
        if self.rooms or self.encoder:
            return False
        area = not set(scope.areas).isdisjoint(self.areas)
        return area or (scope.back_of_house and self.back_of_house) or self.floor in scope.floors

    def __post_init__(self) -> None:
        if self.encoder and self.rooms:
            raise InvalidInput(
                "rooms", "an encoder leads nowhere", "Leave them out, or map the lock by itself"
            )
        if not (self.encoder or self.rooms or self.areas or self.back_of_house or self.floor):
            remedy = "Map the lock to a room, an area or a floor, or to the back of the house"
            raise InvalidInput("rooms", "empty, and the lock leads nowhere else", remedy)


class Locks(tuple[LockDevice, ...]):  # noqa: SLOT001 - its index is kept beside it
    """A hotel's locks in their order, found by the rooms they lead to without a look at each of them."""

    def leading_to(self, rooms: Iterable[RoomId]) -> tuple[LockDevice, ...]:
        """Return the locks that lead to any of these rooms, in order."""
        found = [self._places.get(room, {}) for room in rooms]
        if len(found) == 1:
            return tuple(found[0].values())
        together = {place: device for each in found for place, device in each.items()}
        return tuple([together[place] for place in sorted(together)])

    @cached_property
    def _places(self) -> Mapping[RoomId, dict[int, LockDevice]]:
        found: dict[RoomId, dict[int, LockDevice]] = {}
        for place, device in enumerate(self):
            for room in device.rooms:
                found.setdefault(room, {})[place] = device
        return found


def doors_of(
    rooms: Iterable[RoomId], devices: Iterable[LockDevice], scope: AccessScope = NO_SCOPE
) -> tuple[LockDevice, ...]:
    """Return the locks that lead to any of these rooms, or to what a scope adds to them, in order."""
    if not scope and isinstance(devices, Locks):  # as for nearly every key: a hotel has hundreds of locks
        return devices.leading_to(rooms)
    apart = frozenset(rooms).isdisjoint
    return tuple([device for device in devices if not apart(device.rooms) or device.opened_by(scope)])
