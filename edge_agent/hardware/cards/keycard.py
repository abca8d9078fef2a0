"""A key card: the signed record, put on whatever card lies on the encoder, and read back as a lock would."""

from dataclasses import dataclass
from typing import Final

from nacl.signing import SigningKey, VerifyKey

from edge_agent.hardware.cards.classic import BLOCK, ClassicCard
from edge_agent.hardware.cards.keys import KeyMaterial
from edge_agent.hardware.cards.layout import CardRecord, LayoutRefused, signed, verified
from edge_agent.hardware.cards.ntag import NtagCard
from edge_agent.hardware.cards.reader import Card, CardKind, CardReader
from edge_agent.hardware.errors import CardForeign, CardMissing

FIRST_SECTOR: Final = 1
"""Sector 0 is the manufacturer's and the directory's."""
IN_A_SECTOR: Final = 3 * BLOCK
LONGEST: Final = 192
"""Bytes of the longest record: twenty doors and the signature, in whole sectors."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What a desk needs to make cards of its property."""

    material: KeyMaterial
    signing: SigningKey
    trusted: tuple[VerifyKey, ...]


class KeyCardPress:
    """Makes, reads and erases key cards on one encoder."""

    def __init__(self, reader: CardReader, desk: Desk) -> None:
        self._reader, self._desk = reader, desk

    async def make(self, record: CardRecord) -> Card:
        """Write the record on the card that lies there, prove it, and return the card."""
        card = await self._card()
        content = signed(record, card.uid, self._desk.signing)
        await self._put(card, content)  # which reads back whatever it writes
        return card

    async def read(self) -> tuple[Card, CardRecord]:
        """Return the card that lies there and its record, proved."""
        card = await self._card()
        try:
            return card, verified(await self._content(card, LONGEST), card.uid, self._desk.trusted)
        except LayoutRefused as refusal:
            raise CardForeign("the card holds no key of this property", refusal.reason) from None

    async def erase(self) -> Card:
        """Make a new card of the one that lies there; a lock then finds nothing on it."""
        card = await self._card()
        if card.kind is CardKind.NTAG:
            await NtagCard(self._reader, card).write(bytes(IN_A_SECTOR))
            return card
        classic = ClassicCard(self._reader, card, self._desk.material)
        # From the back: while the first sector stands, so does what tells the rest.
        for sector in reversed(_sectors(LONGEST)):
            await classic.release(sector)
        return card

    async def _card(self) -> Card:
        card = await self._reader.find()
        if card is None:
            raise CardMissing("no card lies on the encoder")
        return card

    async def _put(self, card: Card, content: bytes) -> None:
        if card.kind is CardKind.NTAG:
            await NtagCard(self._reader, card).write(content)
            return
        classic = ClassicCard(self._reader, card, self._desk.material)
        padded = content.ljust(-(-len(content) // IN_A_SECTOR) * IN_A_SECTOR, b"\x00")
        for sector in _sectors(len(padded)):
            start = (sector - FIRST_SECTOR) * IN_A_SECTOR
            await classic.write(sector, _blocks(padded[start : start + IN_A_SECTOR]))

    async def _content(self, card: Card, longest: int) -> bytes:
        if card.kind is CardKind.NTAG:
            tag = NtagCard(self._reader, card)
            return await tag.read(min(longest, (await tag.size()).user_bytes))
        classic = ClassicCard(self._reader, card, self._desk.material)
        content = b""
        for sector in _sectors(longest):
            content += await classic.read(sector)
            if len(content) >= _length(content):
                break
        return content[:longest]


def _sectors(length: int) -> range:
    return range(FIRST_SECTOR, FIRST_SECTOR + -(-length // IN_A_SECTOR))


def _blocks(data: bytes) -> tuple[bytes, ...]:
    return tuple(data[at : at + BLOCK] for at in range(0, len(data), BLOCK))


def _length(content: bytes) -> int:
    """Return how long the record says that it is, as far as it can be believed before it is proved."""
    return content[3] + 64 if content[:2] == b"KF" else 0
