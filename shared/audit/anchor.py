"""A day is anchored: the steps, one after the other, that whoever does the I/O carries out as they come.

| step | to be done | if it was done before |
|---|---|---|
| `Write` | create the file | the same bytes, or bytes that no record vouches for: replace them |
| `KeepBody` | seal the body and its salt under the entry's index | as for a file |
| `KeepHead` | store where the stream stands (`KeptHead.after`) | the day begins where it began before |
| `KeepAnchor` | compare-and-set the log's one record | refused: somebody else has closed the day |
| `Publish` | show the signed checkpoint: cell's log, witnesses, locked store | the same note |

The record is set before anything is signed, so one size never gets two roots. A crash before it leaves a day
that is made again from its rows; a crash behind it leaves a day that is only published again. Files move to
where nobody can replace them once the record is set.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date as calendar
from datetime import timedelta

from shared.audit.checkpoint import Checkpoint
from shared.audit.entries import Entry
from shared.audit.errors import Malformed
from shared.audit.intake import Day, Head, Heads, Kept, Row, SubjectOf, day_of_entries
from shared.audit.log import Write, append, require_edge
from shared.audit.notes import Note, Sign, signed
from shared.audit.succession import LogKeys, beginning, require_not_behind, succeed
from shared.audit.tiles import Read


@dataclass(frozen=True, slots=True)
class KeepBody:
    """A body to keep apart from the log, where it can be erased."""

    index: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class KeepHead:
    """Where a stream stands after the day."""

    stream: str
    head: Head


@dataclass(frozen=True, slots=True)
class Anchored:
    """The one record of a log: the last day that is closed, and the only checkpoint of its size."""

    date: str
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True)
class KeepAnchor:
    """The record to set, and the one that has to stand there still."""

    last: Anchored
    next: Anchored


@dataclass(frozen=True, slots=True)
class Publish:
    """The signed checkpoint of a day."""

    date: str
    note: Note


Step = Write | KeepBody | KeepHead | KeepAnchor | Publish
Entries = Callable[[int], Iterator[Kept]]
"""The entries of a day, given the index of the first."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a log stands on: its last record, its files, its keys, and what others remember of it."""

    last: Anchored
    read: Read
    keys: LogKeys
    sign: Sign
    seen: tuple[Checkpoint, ...] = ()


@dataclass(slots=True)
class _Aside:
    """What is to be kept beside the log of the entries that were appended since the last step."""

    at: int
    bodies: list[KeepBody] = field(default_factory=list)
    heads: dict[str, Head] = field(default_factory=dict)

    def noting(self, entries: Iterable[Kept]) -> Iterator[bytes]:
        for kept in entries:
            if kept.entry.body:
                self.bodies.append(KeepBody(self.at, kept.entry))
            if kept.stream:
                self.heads[kept.stream] = kept.head
            self.at += 1
            yield kept.entry.header

    def steps(self) -> list[KeepBody | KeepHead]:
        heads = [KeepHead(stream, head) for stream, head in self.heads.items()]
        due: list[KeepBody | KeepHead] = [*self.bodies, *heads]
        self.bodies, self.heads = [], {}
        return due


def never_anchored(origin: str, first: str) -> Anchored:
    """The record of a log whose first day is still to be closed."""
    return Anchored(_moved(first, -1), beginning(origin))


def anchor_day(
    day: Day, ground: Ground, rows: Iterable[Row], heads: Heads, subject_of: SubjectOf
) -> Generator[Step, None, Anchored]:
    """The steps that close a tenant's day; an empty one too."""

    def entries(first: int) -> Iterator[Kept]:
        return day_of_entries(day, first, rows, heads, subject_of)

    return (yield from _closed(day.date, ground, entries))


def anchor_cell(
    date: str, ground: Ground, checkpoints: Iterable[Checkpoint]
) -> Generator[Step, None, Anchored]:
    """The steps that close the cell's day: its entries are the tenants' checkpoints, by their origins."""
    texts = [each.text.encode() for each in sorted(checkpoints, key=lambda each: each.origin)]
    return (yield from _closed(date, ground, lambda _: (Kept(Entry(text)) for text in texts)))


def _closed(date: str, ground: Ground, entries: Entries) -> Generator[Step, None, Anchored]:
    last = ground.last
    require_not_behind(last.checkpoint, ground.seen)
    if last.date == date:
        yield _published(last, ground)
        return last
    if _moved(last.date, 1) != date:
        raise Malformed("date", f"{last.date} was closed last", f"Close {_moved(last.date, 1)} next")
    edge = require_edge(last.checkpoint.size, last.checkpoint.root, ground.read)
    aside = _Aside(edge.size)
    for write in append(edge, aside.noting(entries(edge.size))):
        yield from aside.steps()
        yield write
    following = succeed(last.checkpoint, aside.at, ground.read)
    closed = Anchored(date, following.next)
    yield KeepAnchor(last, closed)
    yield _published(closed, ground)
    return closed


def _published(anchored: Anchored, ground: Ground) -> Publish:
    at = anchored.checkpoint
    return Publish(anchored.date, signed(at.text, ground.keys.good_for(at.size), ground.sign))


def _moved(date: str, days: int) -> str:
    return (calendar.fromisoformat(date) + timedelta(days=days)).isoformat()
