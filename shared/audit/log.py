"""A log grows without I/O: entries go in, files come out, and what is left is its edge.

The edge is the unfinished tile of each level and the entries of the unfinished bundle; all of it can be read
back from the files of any signed size, so a crash between two writes loses nothing: the same entries make the
same files again, and writing equal bytes twice is no harm.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from itertools import islice

from shared.audit.errors import NotProven
from shared.audit.tiles import (
    ENTRIES,
    HEIGHT,
    WIDTH,
    Read,
    as_bundle,
    bundled,
    hashes_of,
    perfect_root,
    tile_path,
    width_of,
)
from shared.audit.tree import EMPTY_ROOT, joined, leaf_hash


@dataclass(frozen=True, slots=True)
class Write:
    """A file; what a signed checkpoint vouches for is never written with other bytes."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Edge:
    """The right edge of a log: its size, the hashes of unfinished tiles by level, the last entries."""

    size: int = 0
    levels: tuple[tuple[bytes, ...], ...] = ()
    entries: tuple[bytes, ...] = ()

    @property
    def root(self) -> bytes:
        """The root over the whole log."""
        peaks = [peak for hashes in reversed(self.levels) for peak in _peaks(hashes)]
        return joined(peaks) if self.size else EMPTY_ROOT


def edge_at(size: int, read: Read) -> Edge:
    """The edge of a log of some size, out of its files."""
    levels, level = list[tuple[bytes, ...]](), 0
    while count := size >> HEIGHT * level:
        levels.append(_unfinished(level, count // WIDTH, size, read))
        level += 1
    width = size % WIDTH
    entries = bundled(read(tile_path(ENTRIES, size // WIDTH, width))) if width else ()
    edge = Edge(size, tuple(levels), entries)
    if width and tuple(map(leaf_hash, entries)) != edge.levels[0]:
        raise NotProven("the last entries are not those of their tile: the files were altered")
    return edge


def require_edge(size: int, root: bytes, read: Read) -> Edge:
    """The edge of a log as signed, or a refusal of files that do not make up its root."""
    edge = edge_at(size, read)
    if edge.root != root:
        raise NotProven(f"the files do not make up the signed root of {size} entries: they were altered")
    return edge


def append(edge: Edge, entries: Iterable[bytes]) -> Generator[Write, None, Edge]:
    """The files that some entries fill, then those that stay unfinished; returns the edge behind them."""
    levels, size = [list(each) for each in edge.levels], edge.size
    bundle, coming = list(edge.entries), iter(entries)
    while more := list(islice(coming, WIDTH - len(bundle))):
        bundle += more
        size += len(more)
        levels = levels or [[]]
        levels[0] += map(leaf_hash, more)
        if len(bundle) == WIDTH:
            yield Write(tile_path(ENTRIES, size // WIDTH - 1), as_bundle(bundle))
            yield from _finished(levels, size)
            bundle = []
    behind = Edge(size, tuple(map(tuple, levels)), tuple(bundle))
    if size > edge.size:
        yield from _partial(behind)
    return behind


def _finished(levels: list[list[bytes]], size: int) -> Generator[Write]:
    """Write the full tiles, each of which is one hash of the level above."""
    level = 0
    while level < len(levels) and len(levels[level]) == WIDTH:
        hashes = levels[level]
        yield Write(tile_path(level, (size >> HEIGHT * (level + 1)) - 1), b"".join(hashes))
        levels[level] = []
        if level + 1 == len(levels):
            levels.append([])
        levels[level + 1].append(perfect_root(hashes))
        level += 1


def _partial(edge: Edge) -> Generator[Write]:
    """Write what a checkpoint of this size needs besides full tiles."""
    if edge.entries:
        path = tile_path(ENTRIES, edge.size // WIDTH, len(edge.entries))
        yield Write(path, as_bundle(edge.entries))
    for level, hashes in enumerate(edge.levels):
        if hashes:
            index = (edge.size >> HEIGHT * level) // WIDTH
            yield Write(tile_path(level, index, len(hashes)), b"".join(hashes))


def _unfinished(level: int, index: int, size: int, read: Read) -> tuple[bytes, ...]:
    width = width_of(level, index, size)
    return hashes_of(read(tile_path(level, index, width)), width) if width else ()


def _peaks(hashes: tuple[bytes, ...]) -> Generator[bytes]:
    """Return the roots of the perfect trees that some hashes are, the largest first."""
    at = 0
    while at < len(hashes):
        span = 1 << (len(hashes) - at).bit_length() - 1
        yield perfect_root(hashes[at : at + span])
        at += span
