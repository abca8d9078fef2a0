"""A stay becomes keys: as few as its vendors, and what their locks have in common, allow."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.domain.capabilities import LockCapabilities, supported_kinds
from shared.domain.errors import InvalidInput
from shared.domain.ids import RoomId
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.plan import Choice, IssuePlan
from shared.domain.premises import LockDevice
from shared.ledger.hotel_directory import HotelSetup
from shared.vendor_kit.registry import unenforced_kinds

ANY_ADAPTER: Final = LockCapabilities.all()


@dataclass(frozen=True, slots=True)
class Share:
    """One key's share of a stay: rooms whose locks of one vendor have at least one kind of key in common."""

    vendor: VendorCode
    rooms: tuple[RoomId, ...]
    doors: tuple[LockDevice, ...]
    kinds: tuple[KeyCredentialKind, ...]

    @property
    def possible(self) -> bool:
        """Say whether any kind of key opens all its doors."""
        return bool(self.kinds)

    def plan(self, otherwise: Sequence[KeyCredentialKind]) -> IssuePlan:
        """Return the ways to make this key, best first; what was wished for, where none is possible."""
        return IssuePlan(tuple(Choice(self.vendor, kind) for kind in self.kinds or otherwise))


def split_stay(
    rooms: Sequence[RoomId], premises: HotelSetup, wished: Sequence[KeyCredentialKind]
) -> tuple[Share, ...]:
    """Return the keys of a stay; a room without a lock is refused, and with it the whole stay."""
    _check_mapped(rooms, premises)
    shares: list[Share] = []
    vendors = dict.fromkeys(device.vendor for device in premises.doors(rooms))
    for vendor in vendors:
        shares += _of_vendor(vendor, rooms, premises, wished)
    return tuple(shares)


def _of_vendor(
    vendor: VendorCode, rooms: Sequence[RoomId], premises: HotelSetup, wished: Sequence[KeyCredentialKind]
) -> list[Share]:
    allowed = _in_order(wished, premises.policy.kinds_for(vendor, unenforced_kinds(vendor)))
    shares: list[Share] = []
    for room in rooms:
        doors = tuple(door for door in premises.doors([room]) if door.vendor == vendor)
        if doors:
            _add(shares, Share(vendor, (room,), doors, _kinds(doors, allowed)))
    return shares


def _add(shares: list[Share], share: Share) -> None:
    """Join a room to the first share that would still have a kind in common with it, or begin another."""
    for place, other in enumerate(shares):
        common = tuple(kind for kind in other.kinds if kind in share.kinds)
        if common or not (other.possible or share.possible):
            doors = dict.fromkeys((*other.doors, *share.doors))
            joined = replace(other, rooms=(*other.rooms, *share.rooms), doors=tuple(doors), kinds=common)
            shares[place] = joined
            return
    shares.append(share)


def _kinds(
    doors: Sequence[LockDevice], allowed: Sequence[KeyCredentialKind]
) -> tuple[KeyCredentialKind, ...]:
    # What the adapter itself cannot do, it refuses: only its own function knows it.
    return supported_kinds(ANY_ADAPTER, [door.capabilities for door in doors], allowed)


def _in_order(
    wished: Sequence[KeyCredentialKind], allowed: Sequence[KeyCredentialKind]
) -> tuple[KeyCredentialKind, ...]:
    """Return the kinds the policy allows, those wished for first and in their own order."""
    return tuple(dict.fromkeys((*(kind for kind in wished if kind in allowed), *allowed)))


def _check_mapped(rooms: Sequence[RoomId], premises: HotelSetup) -> None:
    for number, room in enumerate(rooms):
        if not premises.doors([room]):
            remedy = "map a lock to the room, or correct the room, then replay the message"
            raise InvalidInput(f"data.rooms[{number}]", "no lock is mapped to this room", remedy)
