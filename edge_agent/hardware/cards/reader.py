"""What every encoder can do with a card, whatever wire it hangs on."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from edge_agent.hardware.errors import CardMissing
from shared.domain.secret import Secret


class CardKind(Enum):
    """The kinds of card that are written, by what a card says of itself when it is selected."""

    CLASSIC_1K = 0x08
    CLASSIC_4K = 0x18
    NTAG = 0x00


class KeyType(Enum):
    """Which of a sector's two keys."""

    A = 0x60
    B = 0x61


@dataclass(frozen=True, slots=True)
class Card:
    """A card on the encoder."""

    uid: bytes
    kind: CardKind


@dataclass(frozen=True, slots=True)
class SectorKey:
    """One of a sector's keys, with its six bytes hidden."""

    type: KeyType
    value: Secret[bytes]

    def __post_init__(self) -> None:
        if len(self.value.reveal()) != 6:
            raise ValueError("a sector's key has six bytes")


class CardReader(Protocol):
    """An encoder. Every method raises a HardwareError; a refused key halts the card, so it is found anew."""

    async def find(self) -> Card | None:
        """Return the card that lies there, ready to be asked."""

    async def open_sector(self, block: int, key: SectorKey) -> None:
        """Open the sector of a block, or raise CardForeign."""

    async def read(self, block: int) -> bytes:
        """Return 16 bytes: of a MIFARE block, or of four NTAG pages from this one on."""

    async def write(self, block: int, data: bytes) -> None:
        """Write 16 bytes to a MIFARE block."""

    async def write_page(self, page: int, data: bytes) -> None:
        """Write four bytes to an NTAG page."""

    async def close(self) -> None:
        """Let go of the encoder."""


async def card_on(reader: CardReader, expected: Card) -> Card:
    """Return the card again after something halted it; another card is not it."""
    found = await reader.find()
    if found is None or found.uid != expected.uid:
        raise CardMissing("the card was taken away" if found is None else "another card lies there now")
    return found
