"""A small cell with a tenant's log of three days, cosigned by two witnesses, and packs out of it."""

from dataclasses import dataclass, field
from datetime import datetime

from shared.audit.checkpoint import Checkpoint
from shared.audit.intake import Day, Head, day_of_entries
from shared.audit.log import Edge, append
from shared.audit.pack import Anchor, Contents, Files, Span, Streams, pack_of
from shared.audit.succession import LogKey, LogKeys, beginning, succeed
from shared.audit.trust import Trust
from tests.support.audited import TENANT, row, subject_of
from tests.support.notaries import log, witness

CELL = log("audit.example/cell-1")
LOG = log(f"audit.example/cell-1/{TENANT}")
DESK, BUCKET = witness("desk.example/front"), witness("bucket.example/1")
DAYS = ("2026-11-16", "2026-11-17", "2026-11-18")
POLICY = str(
    Trust([LogKeys((LogKey(CELL.key),)), LogKeys((LogKey(LOG.key),))], [DESK.key, BUCKET.key], quorum=2)
)


def rows_of(date):
    """Return what happened on a day."""
    if date == DAYS[0]:
        return [row("key_a", 1, f"{date}T09:00:00Z"), row("key_b", 1, f"{date}T11:00:00Z", reason="lost")]
    if date == DAYS[1]:
        return []
    return [
        row("key_a", 2, f"{date}T08:00:00Z", operatorId="usr_7"),
        row("key_b", 2, f"{date}T10:00:00Z"),
        row("key_b", 4, f"{date}T10:30:00.250Z"),
    ]


@dataclass
class Book:
    """One log, as its keeper has it."""

    notary: object
    edge: Edge = field(default_factory=Edge)
    files: dict = field(default_factory=dict)
    kept: list = field(default_factory=list)
    last: Checkpoint | None = None

    def add(self, entries):
        """Append entries, and sign what comes next."""
        entries = list(entries)
        self.kept += entries
        growing = append(self.edge, [each.header for each in entries])
        while True:
            try:
                write = next(growing)
            except StopIteration as end:
                self.edge = end.value
                break
            assert self.files.setdefault(write.path, write.content) == write.content
        last = self.last or beginning(self.notary.name)
        self.last = succeed(last, self.edge.size, self.files.__getitem__).next
        return self.notary.note(self.last.text)


@dataclass
class Cell:
    """A tenant's log and the cell's, anchored day by day."""

    tenant: Book = field(default_factory=lambda: Book(LOG))
    cell: Book = field(default_factory=lambda: Book(CELL))
    heads: dict = field(default_factory=dict)
    anchors: list = field(default_factory=list)

    def anchor(self, date, rows):
        """Close a day: the tenant's entries, the cell's entry of them, and the witnesses' lines."""
        day = Day.of(TENANT, date)
        kept = list(
            day_of_entries(day, self.tenant.edge.size, rows, lambda s: self.heads.get(s, Head()), subject_of)
        )
        self.heads |= {each.stream: each.head for each in kept if each.stream}
        note = self.tenant.add(each.entry for each in kept)
        cell = self.cell.add([Leaf(note.text.encode())])
        seen = int(datetime.fromisoformat(f"{date}T23:59:59Z").timestamp()) + 7200
        cosigned = BUCKET.cosigned(DESK.cosigned(cell, seen), seen + 5)
        self.anchors.append(Anchor(note, self.cell.edge.size - 1, cosigned))

    def pack(self, scope, indices, seal=LOG.note, anchors=None):
        """Return a pack of some entries."""
        entries = {index: self.tenant.kept[index] for index in indices}
        contents = Contents(scope, anchors or self.anchors, entries, "2026-11-19T08:00:00Z")
        files = Files(self.tenant.files.__getitem__, self.cell.files.__getitem__)
        return b"".join(pack_of(contents, files, seal))

    def whole(self, **changes):
        """Return the pack of everything."""
        size = self.tenant.edge.size
        return self.pack(Span(0, size), range(size), **changes)

    def of_streams(self, **last):
        """Return the pack of some streams, with the ends of their days."""
        indices = [
            index
            for index, entry in enumerate(self.tenant.kept)
            if any(name.encode() in entry.header for name in last) or b'"kind":"day"' in entry.header
        ]
        return self.pack(Streams(last), indices)


@dataclass
class Leaf:
    """An entry of the cell's log, which is a checkpoint's text."""

    header: bytes


def three_days():
    """Return the cell after its three days."""
    cell = Cell()
    for date in DAYS:
        cell.anchor(date, rows_of(date))
    return cell
