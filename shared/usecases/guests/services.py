"""What the commands for guests work with, and the one answer to whatever a stranger may not have."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, Self

from shared.kernel.log import Log
from shared.ports.ambient import Clock, Entropy, Ids
from shared.ports.documents import DocumentStore
from shared.ports.vault import Cipher

if TYPE_CHECKING:
    from shared.ledger.hotel_directory import HotelDirectory


class NothingGiven(Exception):
    """Unknown, spent, wrong, over, resting or another tenant's: whoever asks hears the same."""


class GuestPorts(Protocol):
    """What the commands for guests need of a platform, by the names it has there."""

    @property
    def documents(self) -> DocumentStore:
        """The main database."""

    @property
    def sealed(self) -> DocumentStore:
        """The sealed one."""

    @property
    def cipher(self) -> Cipher:
        """What opens contacts and the guest's part of a key's secret."""

    @property
    def hotels(self) -> "HotelDirectory":
        """What is known of the hotels."""

    @property
    def entropy(self) -> Entropy:
        """Chance."""

    @property
    def clock(self) -> Clock:
        """What time it is."""

    @property
    def ids(self) -> Ids:
        """New names."""

    @property
    def log(self) -> Log:
        """Where it is noted who was shown what, without what it was."""


@dataclass(frozen=True, slots=True)
class GuestServices:
    """The ports of whoever serves guests."""

    documents: DocumentStore
    sealed: DocumentStore
    cipher: Cipher
    hotels: "HotelDirectory"
    entropy: Entropy
    clock: Clock
    ids: Ids
    log: Log

    @classmethod
    def on(cls, ports: GuestPorts) -> Self:
        """Take what is needed of a platform."""
        return cls(
            ports.documents,
            ports.sealed,
            ports.cipher,
            ports.hotels,
            ports.entropy,
            ports.clock,
            ports.ids,
            ports.log,
        )

    @property
    def now(self) -> datetime:
        """The present instant."""
        return self.clock.now()
