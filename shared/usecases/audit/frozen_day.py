"""A day's rows, page by page: which rows a page has is written down before it is used, and never changes.

So a day that is made again after a crash is made of the same rows, whatever came in between: those are late,
and found as such when the next day is closed. Page 0 holds the late rows of the day before, each other page
the day's own, in the order of the index: stream by stream, and in each by sequence.
"""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.audit.anchor import moved
from shared.domain.errors import InvalidInput
from shared.ledger.indexes import DAYS
from shared.ledger.reading import all_of
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.ports.objects import ObjectExists
from shared.streams.telling import OUTBOX
from shared.usecases.audit.log_files import LogFiles

PAGE: Final = 1000
MOST_LATE: Final = 50_000
_BEFORE_ALL: Final = "0"
"""No id of a row comes before it."""


class RowGone(Exception):
    """A row that a page of the day has, and the outbox no more: the day cannot be made again."""


@dataclass(frozen=True, slots=True)
class RowPage:
    """Some rows of the outbox, as they are stored."""

    rows: Sequence[Document]
    late: bool = False


class FrozenDay:
    """One day of a tenant's outbox."""

    def __init__(self, documents: TenantDocuments, files: LogFiles, date: str, first: bool) -> None:
        self._documents, self._files, self._date = documents, files, date
        self._first = first
        """Whether it is the log's first: then no day before it was closed."""
        self._fresh: Sequence[Document] = ()
        """The rows of the page that was just frozen, which need not be read again."""

    async def pages(self) -> AsyncIterator[RowPage]:
        """Go through the day's pages; the late rows come first, if there are any."""
        late = await self._page(0, self._late)
        if late["rows"]:
            yield RowPage(await self._late_rows(late["rows"]), late=True)
        number, cursor, last = 1, _before(self._date), False
        while not last:
            frozen = await self._page(number, lambda after=cursor: self._own(after))
            rows = self._just_read(frozen["rows"]) or await self._rows(frozen["rows"], cursor)
            if rows:
                yield RowPage(rows)
                cursor = rows[-1]
            number, last = number + 1, frozen["last"]

    async def ids(self) -> AsyncIterator[str]:
        """Go through the ids of the day's own rows, if its pages were frozen."""
        number, last = 1, False
        while not last and (content := await self._files.find(_path(self._date, number))):
            frozen = json.loads(content)
            for each in frozen["rows"]:
                yield each
            number, last = number + 1, frozen["last"]

    async def _page(self, number: int, gather: Any) -> dict[str, Any]:
        path = _path(self._date, number)
        content = await self._files.find(path)
        if content is None:
            content = json.dumps(await gather()).encode()
            try:
                await self._files.put(path, content)
            except ObjectExists:  # somebody else froze it meanwhile
                content = await self._files.fetch(path)
        page: dict[str, Any] = json.loads(content)
        return page

    async def _own(self, after: Document) -> dict[str, Any]:
        rows = await self._documents.query(DAYS, {}, until=self._date, after=after, limit=PAGE)
        self._fresh = rows
        return {"rows": [row.ref.id for row in rows], "last": len(rows) < PAGE}

    def _just_read(self, ids: Sequence[str]) -> Sequence[Document]:
        fresh, self._fresh = self._fresh, ()
        return fresh if [row.ref.id for row in fresh] == ids else ()

    async def _late(self) -> dict[str, Any]:
        """Find the rows of the day before that its pages have not: both are in the same order."""
        if self._first:
            return {"rows": []}
        before = moved(self._date, -1)
        known = FrozenDay(self._documents, self._files, before, first=False).ids()
        late, frozen = list[str](), await anext(known, None)
        async for row in self._of_day(before):
            while frozen is not None and frozen < row.ref.id:
                frozen = await anext(known, None)
            if frozen != row.ref.id:
                late.append(row.ref.id)
        if len(late) > MOST_LATE:
            raise InvalidInput("rows", f"over {MOST_LATE} are late", "see whether a writer's clock is wrong")
        return {"rows": late}

    async def _of_day(self, date: str) -> AsyncIterator[Document]:
        cursor, page = _before(date), PAGE
        while page == PAGE:
            rows = await self._documents.query(DAYS, {}, until=date, after=cursor, limit=PAGE)
            for row in rows:
                yield row
            page, cursor = len(rows), rows[-1] if rows else cursor

    async def _late_rows(self, ids: Sequence[str]) -> list[Document]:
        found = await all_of(self._documents, [Ref(OUTBOX, each) for each in ids])
        return [_there(each, row) for each, row in zip(ids, found, strict=True)]

    async def _rows(self, ids: Sequence[str], cursor: Document) -> list[Document]:
        """Return the rows of a page, which may lie among others that came later."""
        found, wanted = list[Document](), [*ids]
        while len(found) < len(wanted):
            rows = await self._documents.query(DAYS, {}, until=self._date, after=cursor, limit=PAGE)
            held = {row.ref.id: row for row in rows if row.ref.id <= wanted[-1]}
            due = wanted[len(found) :]
            reached = rows[-1].ref.id if rows else None
            upto = [each for each in due if reached is not None and each <= reached]
            found += [_there(each, held.get(each)) for each in upto or due[:1]]
            cursor = rows[-1] if rows else cursor
        return found


def _there(identity: str, row: Document | None) -> Document:
    if row is None:
        raise RowGone(f"row {identity} is gone from the outbox: restore it from a backup, then close the day")
    return row


def _path(date: str, number: int) -> str:
    return f"intake/{date.replace('-', '/')}/{number:06d}"


def _before(date: str) -> Document:
    return Document(Ref(OUTBOX, _BEFORE_ALL), {"day": date}, "")
