"""Where a key opens besides its rooms, and what a member of staff may open."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import RoomId
from shared.domain.kinds import Area

_FLOOR: Final = re.compile(r"[\w.-]{1,16}")


def floor_named(name: str) -> str:
    """Check a floor's name."""
    if not _FLOOR.fullmatch(name):
        raise InvalidInput("floor", "not a floor", "Give up to 16 letters, digits, '.', '_' or '-'")
    return name


@dataclass(frozen=True, slots=True)
class AccessScope:
    """Floors and common areas that a key opens besides its rooms."""

    floors: tuple[str, ...] = ()
    areas: tuple[Area, ...] = ()
    back_of_house: bool = False

    def __post_init__(self) -> None:
        for floor in self.floors:
            floor_named(floor)

    def __bool__(self) -> bool:
        return bool(self.floors or self.areas or self.back_of_house)


NO_SCOPE: Final = AccessScope()


class MasterScopeKind(StrEnum):
    """The sorts of scope a master key may have."""

    ROOM = "room"
    FLOOR = "floor"
    ROOMS_ASSIGNED = "rooms_assigned"
    ROOMS_ALL = "rooms_all"
    AREA = "area"
    AREAS_ALL = "areas_all"
    BACK_OF_HOUSE = "back_of_house"


_WHOLE: Final = {
    "rooms:assigned": MasterScopeKind.ROOMS_ASSIGNED,
    "rooms:all": MasterScopeKind.ROOMS_ALL,
    "areas:all": MasterScopeKind.AREAS_ALL,
    "back_of_house": MasterScopeKind.BACK_OF_HOUSE,
}
_TARGETED: Final = {
    "room": MasterScopeKind.ROOM,
    "floor": MasterScopeKind.FLOOR,
    "areas": MasterScopeKind.AREA,
}
_SPELLING: Final = {kind: text for text, kind in (_WHOLE | _TARGETED).items()}


def _area_named(name: str) -> Area:
    try:
        return Area(name)
    except ValueError:
        raise InvalidInput("area", "not a common area", f"Give one of {', '.join(Area)}") from None


_CHECK_TARGET: Final[dict[MasterScopeKind, Callable[[str], str]]] = {
    MasterScopeKind.ROOM: RoomId,
    MasterScopeKind.FLOOR: floor_named,
    MasterScopeKind.AREA: _area_named,
}


@dataclass(frozen=True, slots=True)
class MasterScope:
    """What one master key opens; a target exists for a room, a floor or an area and for nothing else."""

    kind: MasterScopeKind
    target: str | None = None

    def __post_init__(self) -> None:
        check = _CHECK_TARGET.get(self.kind)
        if (check is None) != (self.target is None):
            remedy = f"A scope of kind {self.kind} " + ("takes no target" if check is None else "needs one")
            raise InvalidInput("scope", "the target does not fit the kind", remedy)
        if check is not None and self.target is not None:
            check(self.target)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the specification's spelling: `floor:3`, `rooms:all`, `areas:pool` …"""
        if text in _WHOLE:
            return cls(_WHOLE[text])
        head, _, target = text.partition(":")
        if head not in _TARGETED:
            known = ", ".join([*_WHOLE, "room:<roomId>", "floor:<floor>", "areas:<area>"])
            raise InvalidInput("scope", "not a scope", f"Give one of {known}")
        return cls(_TARGETED[head], target)

    def __str__(self) -> str:
        head = _SPELLING[self.kind]
        return head if self.target is None else f"{head}:{self.target}"
