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
    BODIES,
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
    """The right edge of a log: its size, the hashes of unfinished tiles by level, the last entries.

    `bodies` lie beside the entries, sealed, in a log that has any.
    """

    size: int = 0
    levels: tuple[tuple[bytes, ...], ...] = ()
    entries: tuple[bytes, ...] = ()
    bodies: tuple[bytes, ...] | None = None

    @property
    def root(self) -> bytes:
        """The root over the whole log."""
        peaks = [peak for hashes in reversed(self.levels) for peak in _peaks(hashes)]
        return joined(peaks) if self.size else EMPTY_ROOT


def edge_at(size: int, read: Read, *, with_bodies: bool = False) -> Edge:
    """The edge of a log of some size, out of its files."""
    levels, level = list[tuple[bytes, ...]](), 0
    while count := size >> HEIGHT * level:
        levels.append(_unfinished(level, count // WIDTH, size, read))
        level += 1
    width = size % WIDTH
    entries, bodies = (
        bundled(read(tile_path(kind, size // WIDTH, width))) if width and kept else ()
        for kind, kept in ((ENTRIES, True), (BODIES, with_bodies))
    )
    if width and tuple(map(leaf_hash, entries)) != levels[0]:
        raise NotProven("the last entries are not those of their tile: the files were altered")
    return Edge(size, tuple(levels), entries, bodies if with_bodies else None)


def require_edge(size: int, root: bytes, read: Read, *, with_bodies: bool = False) -> Edge:
    """The edge of a log as signed, or a refusal of files that do not make up its root."""
    edge = edge_at(size, read, with_bodies=with_bodies)
    if edge.root != root:
        raise NotProven(f"the files do not make up the signed root of {size} entries: they were altered")
    return edge


Grown = tuple[bytes, bytes, bytes]
"""An entry, its body as it is kept, and the entry's hash as a leaf."""


class Growth:
    """A log that grows: entries go in as they come, and the files that they fill come out."""

    def __init__(self, edge: Edge) -> None:
        self._size, self._began = edge.size, edge.size
        self._levels = [list(each) for each in edge.levels]
        self._entries = list(edge.entries)
        self._bodies = None if edge.bodies is None else list(edge.bodies)

    def add(self, entries: Iterable[Grown]) -> Generator[Write]:
        """Take in entries, and yield each file that is full."""
        coming = iter(entries)
        while more := list(islice(coming, WIDTH - len(self._entries))):
            self._take(more)
            if len(self._entries) == WIDTH:
                yield from self._bundles(self._size // WIDTH - 1)
                yield from _finished(self._levels, self._size)
                self._entries = []
                self._bodies = None if self._bodies is None else []

    def rest(self) -> Generator[Write]:
        """Yield the files that stay unfinished, which a checkpoint of this size needs as well."""
        if self._size == self._began:
            return
        if self._entries:
            yield from self._bundles(self._size // WIDTH)
        for level, hashes in enumerate(self._levels):
            if hashes:
                index = (self._size >> HEIGHT * level) // WIDTH
                yield Write(tile_path(level, index, len(hashes)), b"".join(hashes))

    @property
    def edge(self) -> Edge:
        """Where the log stands now."""
        bodies = None if self._bodies is None else tuple(self._bodies)
        return Edge(self._size, tuple(map(tuple, self._levels)), tuple(self._entries), bodies)

    def _take(self, more: list[Grown]) -> None:
        headers, bodies, leaves = zip(*more, strict=True)
        self._entries += headers
        if self._bodies is not None:
            self._bodies += bodies
        self._size += len(more)
        self._levels = self._levels or [[]]
        self._levels[0] += leaves

    def _bundles(self, number: int) -> Generator[Write]:
        width = len(self._entries)
        yield Write(tile_path(ENTRIES, number, width), as_bundle(self._entries))
        if self._bodies is not None:
            yield Write(tile_path(BODIES, number, width), as_bundle(self._bodies))


def append(edge: Edge, entries: Iterable[bytes]) -> Generator[Write, None, Edge]:
    """The files that some entries fill, then those that stay unfinished; returns the edge behind them."""
    growth = Growth(edge)
    yield from growth.add((entry, b"", leaf_hash(entry)) for entry in entries)
    yield from growth.rest()
    return growth.edge


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
