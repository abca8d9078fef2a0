"""Writing NTAG21x tags: pages of user memory only, each proved by reading it back.

Pages 0 to 2 hold the UID and the lock bits, page 3 is write-once, and after the user memory come the
dynamic lock bits, the configuration and the password. A bit set in one of them never comes back, so none
of them is written here.
"""

from dataclasses import dataclass
from typing import Final

from edge_agent.hardware.cards.reader import Card, CardKind, CardReader
from edge_agent.hardware.errors import CardFaulty, CardForeign, UnsafeWrite

PAGE: Final = 4
FIRST_USER_PAGE: Final = 4
AT_ONCE: Final = 4
"""Pages that one read returns."""


@dataclass(frozen=True, slots=True)
class NtagSize:
    """How much of a tag is the user's."""

    name: str
    user_bytes: int


SIZES: Final = {
    0x12: NtagSize("NTAG213", 144),
    0x3E: NtagSize("NTAG215", 504),
    0x6D: NtagSize("NTAG216", 888),
}
"""Tags by the third byte of their capability container."""


class NtagCard:
    """An NTAG on an encoder."""

    def __init__(self, reader: CardReader, card: Card) -> None:
        if card.kind is not CardKind.NTAG:
            raise UnsafeWrite("not an NTAG")
        self._reader = reader

    async def size(self) -> NtagSize:
        """Ask the tag which it is."""
        container = (await self._reader.read(3))[:PAGE]
        size = SIZES.get(container[2])
        if container[0] != 0xE1 or size is None:
            raise CardForeign("the tag does not say that it is an NTAG213, 215 or 216")
        return size

    async def write(self, data: bytes) -> None:
        """Write the user memory from its start, and prove it."""
        size = await self.size()
        if len(data) > size.user_bytes:
            raise UnsafeWrite(f"{len(data)} bytes, the {size.name} holds {size.user_bytes}")
        await self._unlocked(-(-len(data) // PAGE))
        pages = _pages(data)
        for page, content in pages.items():
            await self._reader.write_page(page, content)
        if await self.read(len(data)) != data:
            raise CardFaulty("a page does not hold what was written to it")

    async def read(self, length: int) -> bytes:
        """Return the first bytes of the user memory."""
        stop = FIRST_USER_PAGE + -(-length // PAGE)
        parts = [await self._reader.read(page) for page in range(FIRST_USER_PAGE, stop, AT_ONCE)]
        return b"".join(parts)[:length]

    async def _unlocked(self, pages: int) -> None:
        # Page 2 ends with the static lock bits of pages 3 to 15; bit 0 of each byte belongs to no data page.
        lock = (await self._reader.read(2))[2:4]
        low, high = lock
        locked = {page for page in range(4, 8) if low >> page & 1} | {
            page for page in range(8, 16) if high >> page - 8 & 1
        }
        if locked & set(range(FIRST_USER_PAGE, FIRST_USER_PAGE + pages)):
            raise CardForeign("the tag is locked: it can be read and never written")


def _pages(data: bytes) -> dict[int, bytes]:
    padded = data + bytes(-len(data) % PAGE)
    return {
        FIRST_USER_PAGE + number: padded[number * PAGE : (number + 1) * PAGE]
        for number in range(len(padded) // PAGE)
    }
