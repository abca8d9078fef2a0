"""A day is anchored: the steps, one after the other, that whoever does the I/O carries out as they come.

| step | to be done | if it was done before |
|---|---|---|
| `Look` | answer a question to the log's files, and send the answer back | the same answer |
| `More` | send the next page of rows, or None behind the last | the same page, as it was frozen |
| `KeepHeads` | store where streams stand, by the next `More` | the day begins where it began before |
| `Write` | create the file | the same bytes |
| `KeepAnchor` | compare-and-set the log's one record | refused: somebody else has closed the day |
| `Publish` | show the signed checkpoint: cell's log, witnesses, locked store | the same note |

The record is set before anything is signed, so one size never gets two roots. A crash before it leaves a
day that is made again of the same pages, to the byte; one behind it a day that is only published again.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date as calendar
from datetime import timedelta
from typing import Any

from shared.audit.checkpoint import Checkpoint
from shared.audit.entries import Entry
from shared.audit.errors import Malformed
from shared.audit.intake import Day, Head, Intake, Kept
from shared.audit.log import Edge, Grown, Growth, Write, require_edge
from shared.audit.notes import Note, Sign, VerifierKey, signed
from shared.audit.subjects import Subject
from shared.audit.succession import LogKeys, Succession, beginning, require_not_behind, succeed
from shared.audit.tiles import Read
from shared.audit.tree import leaf_hash


@dataclass(frozen=True, slots=True)
class Look:
    """A question to the log's files; its answer is sent back."""

    question: Callable[[Read], Any]


@dataclass(frozen=True, slots=True)
class More:
    """The next rows of the day are asked for: a page, or None behind the last."""


@dataclass(frozen=True, slots=True)
class KeepHead:
    """Where a stream stands, and which entries at which indices brought it there."""

    stream: str
    head: Head
    entries: tuple[tuple[int, Kept], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class KeepHeads:
    """Where some streams stand after the entries that were appended since the last step."""

    heads: tuple[KeepHead, ...]


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


Step = Look | More | KeepHeads | Write | KeepAnchor | Publish
Steps = Generator[Step, Any, Anchored]
"""Steps, each answered: `Look` with what was asked, `More` with a page, the others with nothing."""
SignWith = Callable[[VerifierKey], Sign]
Close = Callable[[Entry, Subject], bytes]
"""How a body is sealed for the one it is about: the same bytes whenever it is done."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a log stands on: its last record, its keys, and what others remember of it."""

    last: Anchored
    keys: LogKeys
    sign: SignWith
    seen: tuple[Checkpoint, ...] = ()
    close: Close | None = None
    """Given for a log whose entries have bodies."""


class _Growing:
    """A log at the end of which a day's entries are put, and what is kept beside it of each."""

    def __init__(self, edge: Edge, close: Close | None) -> None:
        self.size, self._growth, self._close = edge.size, Growth(edge), close
        self._moved: dict[str, list[tuple[int, Kept]]] = {}

    def add(self, entries: Iterable[Kept]) -> Generator[Step, Any, None]:
        """The steps that append some entries: each file that is full, and where their streams stand.

        That is told with each bundle: what is made of a whole page, and held, is slow to come by.
        """
        for write in self._growth.add(self._noting(entries)):
            yield write
            yield from self._stand()
        yield from self._stand()

    def rest(self) -> Generator[Step, Any, None]:
        """The steps that write what stays unfinished."""
        yield from self._growth.rest()

    def _stand(self) -> Iterator[KeepHeads]:
        moved, self._moved = self._moved, {}
        if moved:
            yield KeepHeads(
                tuple(KeepHead(name, told[-1][1].head, tuple(told)) for name, told in moved.items())
            )

    def _noting(self, entries: Iterable[Kept]) -> Iterator[Grown]:
        for kept in entries:
            if kept.stream:
                self._moved.setdefault(kept.stream, []).append((self.size, kept))
            self.size += 1
            header = kept.entry.header
            yield header, self._closed(kept), kept.leaf or leaf_hash(header)

    def _closed(self, kept: Kept) -> bytes:
        if not kept.entry.body or self._close is None or kept.subject is None:
            return b""
        return self._close(kept.entry, kept.subject)


def never_anchored(origin: str, first: str) -> Anchored:
    """The record of a log whose first day is still to be closed."""
    return Anchored(moved(first, -1), beginning(origin))


def anchor_day(day: Day, ground: Ground, opening: Iterable[Entry] = ()) -> Steps:
    """The steps that close a tenant's day; an empty one too. It opens with what the log says of itself."""

    def day_of(log: _Growing) -> Generator[Step, Any, None]:
        intake = Intake(day, log.size)
        yield from log.add(map(Kept, opening))
        while page := (yield More()):
            yield from log.add(intake.take(page))
        yield from log.add([intake.end()])

    return (yield from _closed(day.date, ground, day_of))


def anchor_cell(date: str, ground: Ground, checkpoints: Iterable[Checkpoint]) -> Steps:
    """The steps that close the cell's day: its entries are the tenants' checkpoints, by their origins."""
    texts = [each.text.encode() for each in sorted(checkpoints, key=lambda each: each.origin)]
    return (yield from _closed(date, ground, lambda log: log.add(Kept(Entry(text)) for text in texts)))


def _closed(date: str, ground: Ground, day_of: Callable[[_Growing], Generator[Step, Any, None]]) -> Steps:
    last = ground.last
    require_not_behind(last.checkpoint, ground.seen)
    if last.date == date:
        yield _published(last, ground)
        return last
    if moved(last.date, 1) != date:
        raise Malformed("date", f"{last.date} was closed last", f"Close {moved(last.date, 1)} next")
    at, with_bodies = last.checkpoint, ground.close is not None
    edge: Edge = yield Look(lambda read: require_edge(at.size, at.root, read, with_bodies=with_bodies))
    log = _Growing(edge, ground.close)
    yield from day_of(log)
    yield from log.rest()
    following: Succession = yield Look(lambda read: succeed(at, log.size, read))
    closed = Anchored(date, following.next)
    yield KeepAnchor(last, closed)
    yield _published(closed, ground)
    return closed


def _published(anchored: Anchored, ground: Ground) -> Publish:
    at = anchored.checkpoint
    key = ground.keys.good_for(at.size)
    return Publish(anchored.date, signed(at.text, key, ground.sign(key)))


def moved(date: str, days: int) -> str:
    """The date so many days later."""
    return (calendar.fromisoformat(date) + timedelta(days=days)).isoformat()
