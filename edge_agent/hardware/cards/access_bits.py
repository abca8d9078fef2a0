"""The access bits of a MIFARE Classic sector: three bits for each of its four blocks, each stored twice.

byte 6 = not C2 | not C1, byte 7 = C1 | not C3, byte 8 = C3 | C2, where bit i of a nibble belongs to block
i and bit 3 to the trailer. A card that finds a bit and its inverse at odds blocks the sector for ever.
"""

from dataclasses import dataclass
from typing import Final, Self

from edge_agent.hardware.errors import UnsafeWrite

Condition = tuple[int, int, int]
"""C1, C2 and C3 of one block."""
ANY_KEY: Final[Condition] = (0, 0, 0)
B_WRITES: Final[Condition] = (1, 0, 0)
FACTORY_TRAILER: Final[Condition] = (0, 0, 1)
B_KEEPS_KEYS: Final[Condition] = (0, 1, 1)
REWRITABLE: Final = frozenset({FACTORY_TRAILER, B_KEEPS_KEYS})
"""Trailers whose keys and bits some key may still change; with any other the sector is as it is for ever."""


@dataclass(frozen=True, slots=True)
class AccessBits:
    """The conditions of a sector's four blocks, the trailer's last."""

    blocks: tuple[Condition, Condition, Condition, Condition]

    @classmethod
    def parse(cls, stored: bytes) -> Self:
        """Read three stored bytes; refuse them where a bit and its inverse are at odds."""
        if len(stored) != 3:
            raise UnsafeWrite("access bits are three bytes")
        first, second, third = stored
        c1, c2, c3 = second >> 4, third & 0xF, third >> 4
        if (first & 0xF, first >> 4, second & 0xF) != (c1 ^ 0xF, c2 ^ 0xF, c3 ^ 0xF):
            raise UnsafeWrite("access bits contradict their inverses: the card would block the sector")
        bits = [(c1 >> i & 1, c2 >> i & 1, c3 >> i & 1) for i in range(4)]
        return cls((bits[0], bits[1], bits[2], bits[3]))

    def stored(self) -> bytes:
        """Return the three bytes as they stand on the card."""
        c1, c2, c3 = (sum(block[n] << i for i, block in enumerate(self.blocks)) for n in range(3))
        return bytes([(c2 ^ 0xF) << 4 | c1 ^ 0xF, c1 << 4 | c3 ^ 0xF, c3 << 4 | c2])

    @property
    def trailer(self) -> Condition:
        """The condition of the trailer itself."""
        return self.blocks[3]


FACTORY: Final = AccessBits((ANY_KEY, ANY_KEY, ANY_KEY, FACTORY_TRAILER))
KEY_CARD: Final = AccessBits((B_WRITES, B_WRITES, B_WRITES, B_KEEPS_KEYS))
"""Locks read with key A, encoders write with key B, and only key B may change the keys."""


def safe_to_write(stored: bytes) -> AccessBits:
    """Return the bits a trailer is about to get, or raise UnsafeWrite; it stands before each such write."""
    bits = AccessBits.parse(stored)
    if bits.trailer not in REWRITABLE:
        raise UnsafeWrite("the sector's keys could never be changed again")
    return bits
