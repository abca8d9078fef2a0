"""Simulated doors to play with, where a fleet has them: the console's people try what a bad day would do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from shared.domain.kinds import VendorCode

PLAYGROUND: Final = "sandbox"
"""What a fleet with simulated doors keeps them under; no other fleet keeps anything there."""


@dataclass(frozen=True, slots=True)
class SimulatedLock:
    """A lock as its simulator has it, but for what opens it."""

    name: str
    """As its vendor calls it."""
    keys: int
    battery: int | None = None
    in_reach: bool | None = None


class Playground(Protocol):
    """The simulated doors of a fleet."""

    @property
    def vendor(self) -> VendorCode:
        """Whose locks they are; another vendor may call a lock of its own the same."""

    @property
    def verbs(self) -> Mapping[str, str]:
        """What may be done to a lock, its hub or its vendor, and what that means."""

    async def locks(self) -> Sequence[SimulatedLock]:
        """Return every simulated lock."""

    async def play(self, verb: str, lock: str) -> None:
        """Do one of the verbs; InvalidInput where there is no such verb."""

    async def try_with(self, lock: str, given: Mapping[str, str]) -> bool:
        """Try a door with a PIN or a card, and say whether it opened."""
