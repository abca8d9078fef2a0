"""The Merkle tree of RFC 9162: hashes apart by their prefixes, and a tree that grows by its peaks alone.

A tree of any size is a row of perfect trees, the largest first: one for each bit set in the size. Their
roots, the peaks, are all that appending needs; a new leaf merges with as many peaks as the size ends in ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from typing import Final, Self

from shared.audit.errors import Malformed

HASH_SIZE: Final = 32
EMPTY_ROOT: Final = sha256(b"").digest()


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry as a leaf."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two neighbours."""
    return sha256(b"\x01" + left + right).digest()


def row_above(row: bytes) -> bytes:
    """The hashes of a row's neighbours, two by two: a row is hashes one after the other."""
    pair = 2 * HASH_SIZE
    return b"".join([sha256(b"\x01" + row[at : at + pair]).digest() for at in range(0, len(row), pair)])


def joined(peaks: Sequence[bytes]) -> bytes:
    """The root over perfect trees of falling size, the rightmost two first."""
    if not peaks:
        return EMPTY_ROOT
    return reduce(lambda right, left: node_hash(left, right), reversed(peaks[:-1]), peaks[-1])


@dataclass(frozen=True, slots=True)
class CompactTree:
    """A tree of which only size and peaks are kept."""

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        """Refuse peaks that no tree of this size has."""
        if self.size < 0 or self.size.bit_count() != len(self.peaks):
            raise Malformed("peaks", "they are not those of the size", "Rebuild the tree from its tiles")

    @property
    def root(self) -> bytes:
        """The hash that stands for every entry and their order."""
        return joined(self.peaks)

    def extended(self, leaves: Iterable[bytes]) -> Self:
        """The tree after some more leaf hashes."""
        size, peaks = self.size, list(self.peaks)
        for leaf in leaves:
            ends, node = size, leaf
            while ends & 1:
                node, ends = node_hash(peaks.pop(), node), ends >> 1
            peaks.append(node)
            size += 1
        return type(self)(size, tuple(peaks))


def root_of(entries: Iterable[bytes]) -> bytes:
    """The root over some entries."""
    return CompactTree().extended(map(leaf_hash, entries)).root
