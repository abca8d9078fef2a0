"""A day of a tenant's events becomes entries: in one order, whoever runs it and however often.

Rows come by stream and by sequence in it. Each is held against the last one kept of its stream:

| a row | becomes |
|---|---|
| the next of its stream, of this day | an action |
| the last one again, to the byte | nothing |
| further on than the next | an action, behind a finding `gap` |
| at or before the last, and other than it | a finding `rewritten` |
| earlier than the last of its stream | a finding `redated` |
| of a day that was anchored before | a finding `late` |
| of a day to come | a finding `ahead` |

A row that became a finding is not kept as an action, whoever asks; the finding holds a salted hash of it, so
that it can be shown to be the one that came. The stream goes on behind it.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final, NamedTuple

from shared.audit.entries import Entry, action_entry, day_entry, finding_entry
from shared.audit.errors import Malformed
from shared.audit.subjects import Subject
from shared.audit.text import LIBRARY, Json
from shared.audit.tree import leaf_hash

GAP, REWRITTEN, REDATED, LATE, AHEAD = "gap", "rewritten", "redated", "late", "ahead"
FINDINGS: Final = (GAP, REWRITTEN, REDATED, LATE, AHEAD)
Row = Mapping[str, Any]
"""An outbox row as it is stored."""


_AT_ONCE: Final = 256
_BEFORE_ALL: Final = datetime.min.replace(tzinfo=UTC)


class Head(NamedTuple):
    """The last row that is kept of a stream."""

    sequence: int = 0
    at: datetime = _BEFORE_ALL
    digest: bytes = b""


UNTOLD: Final = Head()
"""Where a stream stands of which nothing is kept."""


@dataclass(frozen=True, slots=True)
class KeptHead:
    """A stream's head as it is stored: after a day, and before it, for the day may have to be made again."""

    date: str = ""
    head: Head = UNTOLD
    earlier: Head = UNTOLD

    def before(self, date: str) -> Head:
        """The head that a day begins with, whether or not the day was begun already."""
        return self.earlier if self.date == date else self.head

    def after(self, date: str, head: Head) -> "KeptHead":
        """The head that a day has come to."""
        return KeptHead(date, head, self.before(date))


@dataclass(frozen=True, slots=True)
class Day:
    """The day of a tenant that is closed, in UTC."""

    tenant_id: str
    date: str
    start: datetime
    end: datetime

    @classmethod
    def of(cls, tenant_id: str, date: str) -> "Day":
        """The day of a date in UTC."""
        try:
            start = datetime.fromisoformat(date).replace(tzinfo=UTC)
        except ValueError:
            raise Malformed("date", "it is no day", "Write it as 2026-11-19") from None
        return cls(tenant_id, start.date().isoformat(), start, start + timedelta(days=1))


Heads = Callable[[str], Head]
SubjectOf = Callable[[Row], Subject]


class Kept(NamedTuple):
    """An entry to append, and where its stream stands after it; a day's last entry has no stream."""

    entry: Entry
    stream: str = ""
    head: Head = UNTOLD
    subject: Subject | None = None
    leaf: bytes = b""
    """The entry's hash as a leaf, where it is known already."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows in their order, where their streams stood before the day, and whom they are about.

    `late` are those of the day before that were not there when it was closed; they come first.
    """

    rows: Sequence[Row]
    heads: Heads
    subject_of: SubjectOf
    late: bool = False
    json: Json = LIBRARY


class Intake:
    """A day's rows as they come, page by page: each becomes its entries."""

    def __init__(self, day: Day, first: int) -> None:
        self._day, self._first = day, first
        self._counts = {"actions": 0, "findings": 0, "streams": 0}
        self._stream, self._last, self._place = "", UNTOLD, ("", 0)
        self._moved: dict[str, Head] = {}
        """Where late rows have brought their streams, which may go on among the day's own."""

    def take(self, page: Page) -> Generator[Kept]:
        """Yield the entries of some rows."""
        for row in page.rows:
            self._place = _in_order(self._day, row, self._place)
            subject = self._turn_to(row, page)
            for kind, kept in _judged(self._day, row, self._last, subject, page.json):
                self._counts[kind] += 1
                self._last = kept.head
                if page.late:
                    self._moved[kept.stream] = kept.head
                yield kept
        if page.late:
            self._stream, self._place = "", ("", 0)

    def end(self) -> Kept:
        """The entry that ends the day."""
        return Kept(day_entry(self._day.tenant_id, self._day.date, self._first, self._counts))

    def _turn_to(self, row: Row, page: Page) -> Subject:
        if row["aggregateId"] != self._stream:
            self._stream = row["aggregateId"]
            self._last = self._moved.get(self._stream) or page.heads(self._stream)
            self._counts["streams"] += self._stream not in self._moved
        return page.subject_of(row)


def day_of_entries(
    day: Day, first: int, rows: Iterable[Row], heads: Heads, subject_of: SubjectOf
) -> Generator[Kept]:
    """The entries of a day, the last of which ends it; an empty day has that one."""
    intake, coming = Intake(day, first), iter(rows)
    while some := tuple(islice(coming, _AT_ONCE)):
        yield from intake.take(Page(some, heads, subject_of))
    yield intake.end()


def _in_order(day: Day, row: Row, last: tuple[str, int]) -> tuple[str, int]:
    """Return where a row stands, or refuse rows that would make another tree next time."""
    if row["tenantId"] != day.tenant_id:
        raise Malformed("tenantId", "it is another tenant's row", "Read the rows of one tenant")
    # With the point that a row's own id has there: stores order rows by that.
    place = (f"{row['aggregateId']}.", row["sequence"])
    if place < last:
        raise Malformed("rows", "they are out of order", "Read them by aggregateId, then by sequence")
    return place


def _judged(day: Day, row: Row, last: Head, subject: Subject, json: Json) -> Sequence[tuple[str, Kept]]:
    at, sequence, stream = datetime.fromisoformat(row["audit"]["time"]), row["sequence"], row["aggregateId"]
    entry = action_entry(row, subject, json)
    leaf = leaf_hash(entry.header)
    head = Head(sequence, at, leaf)
    if head == last:
        return ()
    if sequence <= last.sequence:
        return (("findings", _found(REWRITTEN, row, subject, stream, last)),)
    gap: tuple[tuple[str, Kept], ...] = ()
    if sequence > last.sequence + 1:
        missing = finding_entry(GAP, row, subject, last.sequence + 1)
        last = last._replace(sequence=sequence - 1)
        gap = (("findings", Kept(missing, stream, last, subject)),)
    if refusal := _out_of_time(day, at, last):
        return (*gap, ("findings", _found(refusal, row, subject, stream, last)))
    return (*gap, ("actions", Kept(entry, stream, head, subject, leaf)))


def _out_of_time(day: Day, at: datetime, last: Head) -> str | None:
    """Return what is wrong with an instant: each stream's only go forward, and a closed day stays closed."""
    if at < last.at:
        return REDATED
    if at < day.start:
        return LATE
    return AHEAD if at >= day.end else None


def _found(kind: str, row: Row, subject: Subject, stream: str, last: Head) -> Kept:
    entry = finding_entry(kind, row, subject, last.sequence + 1)
    passed = max(last.sequence, row["sequence"])
    return Kept(entry, stream, last._replace(sequence=passed), subject)
