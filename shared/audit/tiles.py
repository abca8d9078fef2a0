"""A log as files (C2SP tlog-tiles): 256 hashes to a tile, 256 entries to a bundle, never changed once full.

A tile of level L holds the roots of subtrees of 256**L entries. A tree of 70,000 is 273 full tiles and one of
112 at level 0, a full one and one of 17 at level 1, and one of 1 at level 2.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from shared.audit.errors import Malformed
from shared.audit.proofs import Subtrees
from shared.audit.tree import HASH_SIZE, row_above

WIDTH: Final = 256
HEIGHT: Final = 8
ENTRIES: Final = "entries"
BODIES: Final = "bodies"
"""What lies beside the bundles of entries, in bundles of the same form: nothing of C2SP's."""
LARGEST_ENTRY: Final = 0xFFFF
_TILES_AT_HAND = 64
_LENGTH_SIZE = 2

Read = Callable[[str], bytes]
"""The content of a file of the log, by its path."""


def tile_path(level: int | str, index: int, width: int = WIDTH) -> str:
    """The path of a tile, or of a bundle where the level is `entries`."""
    digits = str(index)
    digits = digits.zfill((len(digits) + 2) // 3 * 3)
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    number = "/".join([*(f"x{each}" for each in groups[:-1]), groups[-1]])
    return f"tile/{level}/{number}" + (f".p/{width}" if width < WIDTH else "")


def width_of(level: int, index: int, size: int) -> int:
    """How many hashes a tile has in a tree of some size; 0 if it has none."""
    return max(0, min(WIDTH, (size >> HEIGHT * level) - index * WIDTH))


def partial_tiles(size: int) -> Iterator[tuple[int, int, int]]:
    """The level, index and width of every tile that a tree of some size leaves unfinished."""
    level = 0
    while count := size >> HEIGHT * level:
        if count % WIDTH:
            yield level, count // WIDTH, count % WIDTH
        level += 1


def as_bundle(entries: Sequence[bytes]) -> bytes:
    """Entries one after the other, each behind its length."""
    require_entry(max(entries, key=len, default=b""))
    return b"".join([len(each).to_bytes(_LENGTH_SIZE) + each for each in entries])


def require_entry(entry: bytes) -> bytes:
    """The entry, if it fits a bundle."""
    if len(entry) > LARGEST_ENTRY:
        raise Malformed("entry", f"it is over {LARGEST_ENTRY} bytes", "Keep content in its body, a hash here")
    return entry


def bundled(content: bytes) -> tuple[bytes, ...]:
    """The entries of a bundle."""
    entries, at = list[bytes](), 0
    while at < len(content):
        start = at + _LENGTH_SIZE
        at = start + int.from_bytes(content[at:start])
        if start > len(content) or at > len(content):
            raise Malformed("bundle", "it ends inside an entry", "Fetch it again, whole")
        entries.append(content[start:at])
    return tuple(entries)


def hashes_of(content: bytes, width: int = WIDTH) -> tuple[bytes, ...]:
    """The hashes of a tile of a known width."""
    if len(content) != width * HASH_SIZE:
        raise Malformed("tile", f"it does not hold {width} hashes", "Fetch it again, whole")
    return tuple(content[at : at + HASH_SIZE] for at in range(0, len(content), HASH_SIZE))


def perfect_root(hashes: Sequence[bytes]) -> bytes:
    """The root over a power of two of hashes."""
    row = b"".join(hashes)
    while len(row) > HASH_SIZE:
        row = row_above(row)
    return row


def blank(path: str) -> bytes:
    """A file of a path's form with nothing in it, to find out which files a question reads."""
    kind, _, rest = path.removeprefix("tile/").partition("/")
    width = int(rest.rpartition(".p/")[2]) if ".p/" in rest else WIDTH
    return as_bundle([b""] * width) if kind in {ENTRIES, BODIES} else bytes(width * HASH_SIZE)


def stored_subtrees(size: int, read: Read) -> Subtrees:
    """The perfect subtrees of a tree of some size, out of its tiles; each tile is read once."""

    @lru_cache(_TILES_AT_HAND)
    def tile(level: int, index: int) -> tuple[bytes, ...]:
        width = width_of(level, index, size)
        return hashes_of(read(tile_path(level, index, width)), width)

    def subtree(level: int, index: int) -> bytes:
        floor, height = divmod(level, HEIGHT)
        number, place = divmod(index << height, WIDTH)
        return perfect_root(tile(floor, number)[place : place + (1 << height)])

    return subtree
