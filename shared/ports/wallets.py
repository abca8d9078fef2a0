"""Wallets: what a guest's phone keeps of a key, which shows a stay and leads to its page, and opens no door.

| a wallet | gives the guest |
|---|---|
| `apple` | a file that the phone asks to keep |
| `google` | an address of the wallet's, which the guest opens |

A card stays on the phone after its key has ended, so it holds a code only in a file, and only where the hotel
says that it may; never in an address. Decision 0129.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from shared.domain.secret import Secret


@dataclass(frozen=True, slots=True)
class Shown:
    """One line of a card: what it is called in the guest's language, and what it says."""

    name: str
    label: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyCard:
    """What a card says of a key."""

    key: str
    hotel: str
    title: str
    language: str
    lines: tuple[Shown, ...]
    note: str
    begins: datetime
    ends: datetime
    link: str
    """Where its square code leads: the printed address, which is no secret."""
    code: Shown | None = field(default=None, repr=False)
    """The PIN, where the hotel lets cards have it."""


@dataclass(frozen=True, slots=True)
class CardFile:
    """A card as a file."""

    media_type: str
    name: str
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class CardLink:
    """A card that the wallet fetches from what stands in its address."""

    address: Secret[str]


class CardRefused(Exception):
    """No card can be made: the account is not whole; `field` is what is wrong with it."""

    def __init__(self, field: str) -> None:
        super().__init__(f"the wallet's account: {field}")
        self.field = field


class Wallet(Protocol):
    """Makes cards for one tenant."""

    def card(self, card: KeyCard, now: datetime) -> CardFile | CardLink:
        """Return a card, or raise CardRefused."""
