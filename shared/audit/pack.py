"""A pack: what an auditor, a court or a guest takes away, to be checked with no access to us.

It is lines of canonical JSON, each of a kind, in this order:

| kind | holds |
|---|---|
| `pack` | the logs it is of, its scope, when it was made, how many lines of each kind follow |
| `anchor` | a day's checkpoint, its place and proof in the cell's log, the cell's cosigned checkpoint, |
|  | and what shows that both continue those of the anchor before |
| `entry` | an index, the text, its proof in the last anchor's tree; body and salt unless withheld |
| `seal` | a note of the log's key over the hash of every byte before it |

The scope says what the pack is complete for. A span holds every entry from one index to another, so that no
omission can hide. Streams hold every row of some keys up to a sequence; that nothing came after is the seal's
word alone, for to show it would take the rows of others.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from shared.audit.checkpoint import Checkpoint
from shared.audit.entries import Entry
from shared.audit.errors import Malformed
from shared.audit.notes import Note
from shared.audit.proofs import consistency_path, inclusion_path
from shared.audit.text import canonical, encode_base64
from shared.audit.tiles import Read, stored_subtrees
from shared.audit.tlog_proof import LogProof

VERSION: Final = 1
SEAL_LINE: Final = "keyfleet audit pack v1"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A day's checkpoint of a tenant, its place in the cell's log, and the cell's cosigned checkpoint."""

    note: Note
    place: int
    cell: Note

    @property
    def tenant_at(self) -> Checkpoint:
        """The tenant's log on that day."""
        return Checkpoint.parse(self.note.text)

    @property
    def cell_at(self) -> Checkpoint:
        """The cell's log on that day."""
        return Checkpoint.parse(self.cell.text)


@dataclass(frozen=True, slots=True)
class Span:
    """Every entry from an index up to another."""

    first: int
    end: int

    def told(self) -> dict[str, Any]:
        """The scope as the pack says it."""
        return {"first": self.first, "end": self.end}


@dataclass(frozen=True, slots=True)
class Streams:
    """Every row of some streams, each from the first to a sequence."""

    last: Mapping[str, int]

    def told(self) -> dict[str, Any]:
        """The scope as the pack says it."""
        return {"streams": dict(self.last)}


@dataclass(frozen=True, slots=True)
class Contents:
    """What goes into a pack: its scope, the anchors in their order, and entries by index."""

    scope: Span | Streams
    anchors: Sequence[Anchor]
    entries: Mapping[int, Entry]
    made: str


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a tenant's log and of its cell's, which the proofs are read off."""

    tenant: Read
    cell: Read


def pack_of(contents: Contents, files: Files, seal: Callable[[str], Note]) -> Iterator[bytes]:
    """The lines of a pack; `seal` signs as the tenant's log does."""
    if not contents.anchors:
        raise Malformed("anchors", "none", "Take the last one at least, or wait for the day's end")
    last, digest = contents.anchors[-1], sha256()
    for line in (
        _head(contents, last),
        *_anchors(contents, files),
        *_entries(contents, files, last.tenant_at),
    ):
        written = canonical(line, "line") + b"\n"
        digest.update(written)
        yield written
    sealed = seal(f"{SEAL_LINE}\n{last.tenant_at.origin}\n{encode_base64(digest.digest())}\n")
    yield canonical({"kind": "seal", "note": str(sealed)}) + b"\n"


def proof_of(index: int, anchor: Anchor, tenant: Read) -> LogProof:
    """The proof of one entry as strangers' tools read it."""
    at = anchor.tenant_at
    return LogProof(index, inclusion_path(index, at.size, stored_subtrees(at.size, tenant)), anchor.note)


def _head(contents: Contents, last: Anchor) -> dict[str, Any]:
    counts = {"anchors": len(contents.anchors), "entries": len(contents.entries)}
    origins = {"origin": last.tenant_at.origin, "cell": last.cell_at.origin}
    scope = contents.scope.told()
    return {"kind": "pack", "v": VERSION, "made": contents.made, "scope": scope, **origins, **counts}


def _anchors(contents: Contents, files: Files) -> Iterator[dict[str, Any]]:
    before: Anchor | None = None
    for anchor in contents.anchors:
        cell = anchor.cell_at
        yield {
            "kind": "anchor",
            "note": str(anchor.note),
            "place": anchor.place,
            "proof": _said(inclusion_path(anchor.place, cell.size, stored_subtrees(cell.size, files.cell))),
            "cell": str(anchor.cell),
            "continues": _continues(before.tenant_at if before else None, anchor.tenant_at, files.tenant),
            "cellContinues": _continues(before.cell_at if before else None, cell, files.cell),
        }
        before = anchor


def _entries(contents: Contents, files: Files, at: Checkpoint) -> Iterator[dict[str, Any]]:
    subtrees = stored_subtrees(at.size, files.tenant)
    for index, entry in sorted(contents.entries.items()):
        line = {
            "kind": "entry",
            "index": index,
            "entry": entry.header.decode(),
            "proof": _said(inclusion_path(index, at.size, subtrees)),
        }
        opened = {"body": entry.body.decode(), "salt": encode_base64(entry.salt)} if entry.body else {}
        yield line | opened


def _continues(before: Checkpoint | None, at: Checkpoint, read: Read) -> list[str]:
    if before is None or not before.size:
        return []
    return _said(consistency_path(before.size, at.size, stored_subtrees(at.size, read)))


def _said(path: Iterable[bytes]) -> list[str]:
    return [encode_base64(each) for each in path]
