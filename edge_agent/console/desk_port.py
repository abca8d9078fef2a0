"""What the console asks of the desk; it knows nothing else of it (A §3.2, §9.4)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from shared.domain.secret import Secret


class ClerkProblem(Exception):
    """Something that a clerk cannot do now; `code` says why, and the console how to go on."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Done:
    """What was done, as the clerk is told."""

    what: str
    reservation: str
    until: datetime | None = None
    alone: bool = False
    pin: Secret[str] | None = None
    """What opens the door, where no card does: shown once, to whoever made it."""


class DeskPort(Protocol):
    """The desk, as the console has it. Every method may raise ClerkProblem."""

    async def sign_in(self, user: str, pin: str) -> frozenset[Any] | None:
        """Return what somebody may do here, if that is their PIN."""

    async def overview(self) -> dict[str, Any]:
        """Return how the desk stands."""

    async def issue(self, user: str, reservation: str, once: str) -> Done:
        """Make the card of a stay on what lies on the encoder."""

    async def order(self, user: str, do: str, reservation: str, day: str = "") -> Done:
        """Have the cloud copy, prolong, replace or end what a stay has; a card of it comes as a job."""

    async def give_up(self, user: str, job: str) -> Done:
        """Say that the card that a job was begun on is gone."""

    async def replace_lost(self, user: str, reservation: str, once: str) -> Done:
        """Withdraw a stay's key, and make another; one that the cloud made it replaces."""

    async def revoke(self, user: str, reservation: str) -> Done:
        """Withdraw the keys of a stay: those that were made here, or else all, by the cloud."""

    async def read_card(self) -> dict[str, Any]:
        """Return what stands on the card that lies there."""
