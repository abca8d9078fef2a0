"""A log as it is read: entries by index with the bodies of those who are known, days, and streams."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from shared.audit.anchor import moved
from shared.audit.checkpoint import Checkpoint
from shared.audit.entries import Entry
from shared.audit.notes import Note
from shared.audit.pack import Anchor
from shared.audit.subjects import Subject
from shared.audit.text import parsed
from shared.audit.tiles import BODIES, ENTRIES, WIDTH, bundled, tile_path, width_of
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ledger.audit_log import OF_CELL
from shared.usecases.audit.anchor_cell import place_of
from shared.usecases.audit.books import Book, open_book
from shared.usecases.audit.guests import GuestKeys, open_body
from shared.usecases.audit.log_files import gathered
from shared.usecases.audit.services import PLATFORM, AuditServices
from shared.usecases.audit.witnessing import cosigned

MOST_OPEN_DAYS: Final = 40
MOST_ENTRIES: Final = 50_000
"""In one answer: as much as a function's memory and an answer hold."""


@dataclass(slots=True)
class LogReader:
    """A tenant's log up to the last day that stands in the cell's log as well."""

    book: Book
    cell: Book
    last: Anchor
    date: str
    guests: GuestKeys
    _subjects: dict[str | None, Subject | None] = field(default_factory=dict, repr=False)

    @property
    def at(self) -> Checkpoint:
        """The log that is read."""
        return self.last.tenant_at

    async def headers(self, indices: Iterable[int]) -> dict[int, Entry]:
        """Return entries of this log without their bodies."""
        found = await self._bundles(ENTRIES, indices)
        return {index: Entry(found[index]) for index in sorted(found)}

    async def entries(self, indices: Iterable[int]) -> dict[int, Entry]:
        """Return entries of this log, each with its body if whoever it is about is known."""
        wanted = [*indices]
        headers = await self.headers(wanted)
        sealed = await self._bundles(BODIES, wanted)
        return {index: await self._opened(entry, sealed[index]) for index, entry in headers.items()}

    async def size_on(self, date: str) -> int:
        """Return how large the log was at the end of a day; a day before its first has no entries."""
        note = await self.book.note(date)
        return 0 if note is None else Checkpoint.parse(note.text).size

    async def ends_of(self, dates: Iterable[str]) -> list[int]:
        """Return the indices of the entries that end some days."""
        sizes = await gathered([self.size_on(date) for date in dict.fromkeys(dates)])
        return [size - 1 for size in sizes if 0 < size <= self.at.size]

    async def anchor(self, date: str) -> Anchor | None:
        """Return a day's checkpoint in both logs, or None where the cell left it out."""
        return await _anchor(self.book, self.cell, date)

    async def _opened(self, entry: Entry, sealed: bytes) -> Entry:
        header = parsed(entry.header)
        subject = await self._subject(header.get("guest")) if sealed else None
        body = None if subject is None else open_body(entry.header, sealed, subject)
        if body is None or subject is None:
            return entry
        return Entry(entry.header, body, subject.salt(header["id"]))

    async def _subject(self, alias: str | None) -> Subject | None:
        if alias not in self._subjects:
            self._subjects[alias] = await self.guests.behind(alias)
        return self._subjects[alias]

    async def _bundles(self, kind: str, indices: Iterable[int]) -> dict[int, bytes]:
        wanted = sorted({index for index in indices if 0 <= index < self.at.size})
        if len(wanted) > MOST_ENTRIES:
            raise InvalidInput("until", f"over {MOST_ENTRIES} entries", "ask for a shorter time")
        numbers = list(dict.fromkeys(index // WIDTH for index in wanted))
        paths = [tile_path(kind, each, width_of(0, each, self.at.size)) for each in numbers]
        contents = await gathered([self.book.files.fetch(path) for path in paths])
        held: Mapping[int, Any] = {
            number: bundled(content) for number, content in zip(numbers, contents, strict=True)
        }
        return {index: held[index // WIDTH][index % WIDTH] for index in wanted}


async def reader_of(tenant: TenantId, on: AuditServices) -> LogReader:
    """Return a tenant's log as it can be shown: nothing is shown that no anchor covers."""
    documents = await on.admitted(tenant)
    book, cell = await open_book(on, tenant), await open_book(on, PLATFORM, OF_CELL)
    if book is None or cell is None or not (book.record.begun and cell.record.begun):
        raise InvalidInput("tenant", "no day of its log is closed yet", "wait for the night, or close one")
    date = min(book.record.anchored.date, cell.record.anchored.date)
    for _ in range(MOST_OPEN_DAYS):
        if last := await _anchor(book, cell, date):
            guests = GuestKeys(tenant, documents, on.sealed.tenant(tenant), on.cipher)
            return LogReader(book, cell, last, date, guests)
        date = moved(date, -1)
    raise InvalidInput("tenant", f"none of {MOST_OPEN_DAYS} days stands in the cell's log", "close its days")


async def _anchor(book: Book, cell: Book, date: str) -> Anchor | None:
    note: Note | None = await book.note(date)
    whole = None if note is None else await cosigned(cell, date)
    place = None if whole is None else await place_of(cell, date, book.record.origin)
    if note is None or whole is None or place is None:
        return None
    return Anchor(note, place, whole)
