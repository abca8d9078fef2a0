"""What a master key opens: its scopes, looked up among the rooms, doors, lifts and open tasks of a house.

| scope | rooms | besides |
|---|---|---|
| `room:…` | that one | the lift to its floor |
| `floor:…` | all of the floor | its lift |
| `rooms:assigned` | those of its holder's open tasks | the lifts to their floors |
| `rooms:all` | all that have a lock | all lifts |
| `areas:…`, `areas:all` | | doors of that area, or of any |
| `back_of_house` | | doors that say they are behind the house |

Doors that several rooms share, such as the front door, open with each of them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from shared.domain.capabilities import LockCapabilities, supported_kinds
from shared.domain.ids import PropertyId, RoomId, UserId
from shared.domain.kinds import Area, KeyCredentialKind, VendorCode
from shared.domain.master_key import MasterKey
from shared.domain.plan import Choice, IssuePlan
from shared.domain.premises import LockDevice, doors_of
from shared.domain.scope import NO_SCOPE, AccessScope, MasterScope, MasterScopeKind
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.indexes import ROOMS, TASKS_OF
from shared.ports.documents import Document, Index, TenantDocuments
from shared.vendor_kit.registry import unenforced_kinds

MOST_LOCKS: Final = 150
"""As many as one credential can have (`request_keys`); who opens more holds several."""
PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class House:
    """What scopes are looked up in: each room with its floor, those with a lock, and the holder's tasks."""

    floors: Mapping[RoomId, str]
    locked: frozenset[RoomId]
    assigned: frozenset[RoomId] = frozenset()

    def rooms_of(self, scope: MasterScope) -> frozenset[RoomId]:
        """Return the rooms of one scope that have a lock."""
        wanted = _ROOMS.get(scope.kind)
        return frozenset() if wanted is None else wanted(self, scope.target or "") & self.locked

    def of_floor(self, floor: str) -> frozenset[RoomId]:
        """Return the rooms of a floor."""
        return frozenset(room for room, where in self.floors.items() if where == floor)


_ROOMS: Final[Mapping[MasterScopeKind, Callable[[House, str], frozenset[RoomId]]]] = {
    MasterScopeKind.ROOM: lambda _, room: frozenset({RoomId(room)}),
    MasterScopeKind.FLOOR: lambda house, floor: house.of_floor(floor),
    MasterScopeKind.ROOMS_ASSIGNED: lambda house, _: house.assigned,
    MasterScopeKind.ROOMS_ALL: lambda house, _: house.locked,
}


@dataclass(frozen=True, slots=True)
class Reach:
    """Rooms, in order, and what is opened besides."""

    rooms: tuple[RoomId, ...] = ()
    scope: AccessScope = NO_SCOPE


@dataclass(frozen=True, slots=True)
class Bunch:
    """One credential's share of a reach: doors of one vendor that have at least one kind of key in common."""

    vendor: VendorCode
    kinds: tuple[KeyCredentialKind, ...]
    rooms: tuple[RoomId, ...] = ()
    doors: tuple[LockDevice, ...] = ()
    scope: AccessScope = NO_SCOPE

    def plan(self) -> IssuePlan:
        """Return the ways to make its key, best first."""
        return IssuePlan(tuple(Choice(self.vendor, kind) for kind in self.kinds))

    def joined(self, other: "Bunch") -> "Bunch | None":
        """Return both as one, or None where no kind, or no credential, is for all their doors."""
        kinds = tuple(kind for kind in self.kinds if kind in other.kinds)
        doors = tuple(dict.fromkeys((*self.doors, *other.doors)))
        if not kinds or len(doors) > MOST_LOCKS:
            return None
        return replace(self, kinds=kinds, rooms=(*self.rooms, *other.rooms), doors=doors)


async def house_of(
    store: TenantDocuments, property_id: PropertyId, staff: UserId, premises: HotelSetup
) -> House:
    """Return what scopes are looked up in."""
    rooms = await _all(store, ROOMS, {"property_id": str(property_id)})
    tasks = await _all(store, TASKS_OF, {"assigned_to": str(staff)})
    here = (task.data["rooms"] for task in tasks if task.data["property_id"] == property_id)
    return House(
        floors={RoomId(each.ref.id): str(each.data["floor"]) for each in rooms},
        locked=premises.rooms,
        assigned=frozenset(RoomId(room) for named in here for room in named),
    )


def reach_of(key: MasterKey, house: House) -> Reach:
    """Return what a master key opens now."""
    rooms = sorted({room for scope in key.scopes for room in house.rooms_of(scope)})
    kinds = {scope.kind for scope in key.scopes}
    areas = tuple(Area) if MasterScopeKind.AREAS_ALL in kinds else _areas(key.scopes)
    floors = {house.floors[room] for room in rooms if room in house.floors}
    behind = MasterScopeKind.BACK_OF_HOUSE in kinds
    return Reach(tuple(rooms), AccessScope(tuple(sorted(floors)), areas, behind))


def bunches_of(reach: Reach, premises: HotelSetup, wished: Iterable[KeyCredentialKind]) -> tuple[Bunch, ...]:
    """Return the credentials that a reach takes: as few as vendors, kinds and their size allow."""
    vendors = sorted({door.vendor for door in premises.doors(reach.rooms, reach.scope)})
    return tuple(bunch for vendor in vendors for bunch in _of_vendor(vendor, reach, premises, wished))


def _of_vendor(
    vendor: VendorCode, reach: Reach, premises: HotelSetup, wished: Iterable[KeyCredentialKind]
) -> list[Bunch]:
    devices = premises.of_vendor(vendor)
    policy = premises.policy.kinds_for(vendor, unenforced_kinds(vendor))
    allowed = tuple(dict.fromkeys((*(kind for kind in wished if kind in policy), *policy)))
    bunches: list[Bunch] = []
    besides = _besides(vendor, reach.scope, devices, allowed)
    for room in reach.rooms:
        doors = doors_of((room,), devices)
        kinds = supported_kinds(LockCapabilities.all(), [door.capabilities for door in doors], allowed)
        if doors and kinds:
            _join(bunches, Bunch(vendor, kinds, (room,), doors))
    if besides is None:
        return bunches
    first = bunches[0].joined(besides) if bunches else besides
    if first is None:
        return [besides, *bunches]
    return [replace(first, scope=reach.scope), *bunches[1:]]


def _besides(
    vendor: VendorCode,
    scope: AccessScope,
    devices: Iterable[LockDevice],
    allowed: tuple[KeyCredentialKind, ...],
) -> Bunch | None:
    """Return the doors that are no rooms': those that know the first kind of key that any of them knows."""
    doors = doors_of((), devices, scope)
    kind = next((kind for kind in allowed if any(door.capabilities.supports(kind) for door in doors)), None)
    able = tuple(door for door in doors if kind is not None and door.capabilities.supports(kind))
    kinds = supported_kinds(LockCapabilities.all(), [door.capabilities for door in able], allowed)
    return Bunch(vendor, kinds, doors=able, scope=scope) if able else None


def _join(bunches: list[Bunch], more: Bunch) -> None:
    """Join doors to the first bunch that takes them, or begin another."""
    for place, bunch in enumerate(bunches):
        joined = bunch.joined(more)
        if joined is not None:
            bunches[place] = joined
            return
    bunches.append(more)


def _areas(scopes: Iterable[MasterScope]) -> tuple[Area, ...]:
    named = (scope.target for scope in scopes if scope.kind is MasterScopeKind.AREA)
    return tuple(Area(area) for area in named if area is not None)


async def _all(store: TenantDocuments, index: Index, equals: Mapping[str, str]) -> list[Document]:
    page = await store.query(index, equals, limit=PAGE)
    found = list(page)
    while len(page) == PAGE:
        page = await store.query(index, equals, after=page[-1], limit=PAGE)
        found += page
    return found
