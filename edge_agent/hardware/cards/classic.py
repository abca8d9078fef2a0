"""Writing MIFARE Classic cards: a sector is proved by reading it back, and its trailer is written last,
whole.

A trailer holds both keys and the access bits. Reading it returns zeros for key A, so it is never read,
changed and written: it is composed of what is known, its bits are validated, and the new keys are tried
afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from edge_agent.hardware.cards.access_bits import (
    FACTORY,
    FACTORY_TRAILER,
    KEY_CARD,
    AccessBits,
    safe_to_write,
)
from edge_agent.hardware.cards.keys import FACTORY_KEY, KeyMaterial
from edge_agent.hardware.cards.reader import Card, CardKind, CardReader, KeyType, SectorKey, card_on
from edge_agent.hardware.errors import CardFaulty, CardForeign, DeviceRefused, UnsafeWrite

BLOCK: Final = 16
GENERAL_PURPOSE_BYTE: Final = 0x69
SECTORS: Final = {CardKind.CLASSIC_1K: 16, CardKind.CLASSIC_4K: 40}
SMALL_SECTORS, LARGE = 32, 16


@dataclass(frozen=True, slots=True)
class Trailer:
    """The last block of a sector, composed of what is known."""

    key_a: SectorKey
    key_b: SectorKey
    access: AccessBits = KEY_CARD
    general: int = GENERAL_PURPOSE_BYTE

    def block(self) -> bytes:
        """Return its 16 bytes, which hold both keys."""
        access = self.access.stored()
        safe_to_write(access)
        return self.key_a.value.reveal() + access + bytes([self.general]) + self.key_b.value.reveal()


def first_block(sector: int) -> int:
    """Return a sector's first block."""
    small = min(sector, SMALL_SECTORS)
    return small * 4 + (sector - small) * LARGE


def blocks_in(sector: int) -> int:
    """Return how many blocks a sector has, its trailer included."""
    return 4 if sector < SMALL_SECTORS else LARGE


def trailer_of(sector: int) -> int:
    """Return the block number of a sector's trailer."""
    return first_block(sector) + blocks_in(sector) - 1


def sector_of(block: int) -> int:
    """Return the sector a block lies in."""
    small = SMALL_SECTORS * 4
    return block // 4 if block < small else SMALL_SECTORS + (block - small) // LARGE


class ClassicCard:
    """A MIFARE Classic card on an encoder, with the property's key material."""

    def __init__(self, reader: CardReader, card: Card, material: KeyMaterial) -> None:
        if card.kind not in SECTORS:
            raise UnsafeWrite("not a MIFARE Classic card")
        self._reader, self._card, self._material = reader, card, material
        self._new = False
        """Whether the sector before was a new card's: the next is, most likely, and is tried so first."""

    async def claim(self, sector: int) -> SectorKey:
        """Open a sector for writing, with our key B or a new card's key; return what opened it."""
        keys = (self.key(sector, KeyType.B), FACTORY_KEY)
        for key in reversed(keys) if self._new else keys:
            if await self._opens(sector, key):
                self._new = key is FACTORY_KEY
                return key
        raise CardForeign("neither this property's key nor a new card's opens the card")

    async def write(self, sector: int, blocks: Sequence[bytes]) -> None:
        """Write a sector's data and prove it; a new card's sector then gets our keys, all of them tried."""
        numbered = dict(enumerate(blocks, first_block(sector)))
        _check_writable(sector, numbered)
        try:
            await self._write(sector, numbered)
        except DeviceRefused:
            # A card at the edge of the field loses a word now and then: once more, from the start.
            await card_on(self._reader, self._card)
            await self._write(sector, numbered)

    async def _write(self, sector: int, numbered: Mapping[int, bytes]) -> None:
        opened_with = await self.claim(sector)
        for block, data in numbered.items():
            await self._reader.write(block, data)
        await self._prove(numbered)
        if opened_with is FACTORY_KEY:
            await self.write_trailer(sector, self._ours(sector))
        if not await self._opens(sector, self.key(sector, KeyType.A)):
            raise CardFaulty("the key that locks have does not open the sector")

    async def read(self, sector: int) -> bytes:
        """Return a sector's data, read as a lock reads it."""
        try:
            return await self._read(sector)
        except DeviceRefused:
            await card_on(self._reader, self._card)
            return await self._read(sector)

    async def _read(self, sector: int) -> bytes:
        await self._reader.open_sector(first_block(sector), self.key(sector, KeyType.A))
        start = first_block(sector)
        return b"".join([await self._reader.read(block) for block in range(start, trailer_of(sector))])

    async def write_trailer(self, sector: int, trailer: Trailer) -> None:
        """Write a trailer into the sector that is open, then prove that its keys and bits hold."""
        data = trailer.block()
        await self._reader.write(trailer_of(sector), data)
        if not await self._opens(sector, trailer.key_b if _b_opens(trailer) else trailer.key_a):
            raise CardFaulty("the new keys do not open the sector")
        stored = await self._reader.read(trailer_of(sector))
        if stored[6:9] != data[6:9]:
            raise CardFaulty("the access bits are not what was written")

    async def release(self, sector: int) -> None:
        """Give a sector back as a new card has it: empty, with the factory's keys and bits."""
        await self.claim(sector)
        start = max(first_block(sector), 1)
        empty = dict.fromkeys(range(start, trailer_of(sector)), bytes(BLOCK))
        for block, data in empty.items():
            await self._reader.write(block, data)
        await self._prove(empty)
        factory_b = SectorKey(KeyType.B, FACTORY_KEY.value)
        await self.write_trailer(sector, Trailer(FACTORY_KEY, factory_b, FACTORY))

    def key(self, sector: int, key_type: KeyType) -> SectorKey:
        """Return this card's own key of a sector."""
        return self._material.sector_key(self._card.uid, sector, key_type)

    def _ours(self, sector: int) -> Trailer:
        return Trailer(self.key(sector, KeyType.A), self.key(sector, KeyType.B))

    async def _opens(self, sector: int, key: SectorKey) -> bool:
        try:
            await self._reader.open_sector(first_block(sector), key)
        except CardForeign:
            # A refused key halts the card: it has to be found again before the next try.
            await card_on(self._reader, self._card)
            return False
        return True

    async def _prove(self, written: Mapping[int, bytes]) -> None:
        for block, data in written.items():
            if await self._reader.read(block) != data:
                raise CardFaulty("a block does not hold what was written to it")


def _b_opens(trailer: Trailer) -> bool:
    # Where key B can be read, the card refuses it as a key.
    return trailer.access.trailer != FACTORY_TRAILER


def _check_writable(sector: int, blocks: Mapping[int, bytes]) -> None:
    for block, data in blocks.items():
        if block == 0:
            raise UnsafeWrite("block 0 is the manufacturer's")
        if block >= trailer_of(sector):
            raise UnsafeWrite("more blocks than the sector holds: the next is its trailer")
        if len(data) != BLOCK:
            raise UnsafeWrite("a block has 16 bytes")
