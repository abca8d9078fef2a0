"""Close a tenant's days: the rows of the outbox become entries, and the day's checkpoint is signed.

1. Open the log, or begin it with the day of the oldest row.
2. Publish the last day again: whoever closed it may have died before that.
3. For each day up to the one asked for: freeze its pages, append, set the record, sign, publish.
4. Forget the guests whose forgetting the log has announced by now.

Nobody waits for this at a door. Whoever dies anywhere in it is followed by somebody who ends with the same
root (decisions 0057, 0081).
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import orjson

from shared.audit.anchor import Anchored, KeepAnchor, KeepHeads, More, anchor_day, moved
from shared.audit.errors import AuditError
from shared.audit.intake import Day, Head, Page, Row
from shared.audit.subjects import Subject
from shared.domain.ids import TenantId
from shared.ledger.audit_log import STREAMS, StreamRecord, stream_record_from
from shared.ledger.indexes import DAYS
from shared.ledger.reading import all_of
from shared.ports.document_limits import MOST_WRITES
from shared.ports.documents import Document, Ref
from shared.streams.telling import row_ref
from shared.usecases.audit.books import Book, Clerk, begun_book, require_over
from shared.usecases.audit.forgetting import forget_announced
from shared.usecases.audit.frozen_day import FrozenDay, RowPage
from shared.usecases.audit.guests import GuestKeys, close_body
from shared.usecases.audit.log_files import gathered
from shared.usecases.audit.openings import Opening, opening_of
from shared.usecases.audit.services import AuditServices
from shared.usecases.audit.spelling import FAST

MOST_DAYS: Final = 31
"""Days that one call closes: a fleet that was away for longer is asked again."""


@dataclass(frozen=True, slots=True)
class CloseDays:
    """The wish to have a tenant's log closed up to a day."""

    tenant: TenantId
    date: str

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        tenant = TenantId.parse(body.get("tenant"), "tenant")
        return cls(tenant, Day.of(tenant, str(body.get("date"))).date)


async def anchor_tenant(command: CloseDays, on: AuditServices) -> dict[str, Any]:
    """Close a tenant's days up to one, and tell where its log stands; `behind` asks to be called again."""
    require_over(command.date, on.now)
    await on.admitted(command.tenant, to_go_on=True)
    book = await begun_book(on, command.tenant, await _first_day(command, on))
    try:
        if book.record.begun:
            await _close(book, book.record.anchored.date)
        for _ in range(MOST_DAYS):
            if book.record.anchored.date >= command.date:
                break
            await _close(book, moved(book.record.anchored.date, 1))
    except AuditError as refusal:
        on.log.alert(
            "a day of the audit log cannot be closed",
            runbook="audit/anchor",
            tenant=command.tenant,
            reason=str(refusal),
        )
        raise
    return told(book, command.date)


def told(book: Book, date: str) -> dict[str, Any]:
    """Return how a log stands, for whoever asked to have it closed up to a day."""
    anchored = book.record.anchored
    at = anchored.checkpoint
    return {"date": anchored.date, "checkpoint": at.text, "size": at.size, "behind": anchored.date < date}


async def _first_day(command: CloseDays, on: AuditServices) -> str:
    rows = await on.documents.tenant(command.tenant).query(DAYS, {}, until=command.date, limit=1)
    return next((str(row.data["day"]) for row in rows), command.date)


async def _close(book: Book, date: str) -> Anchored:
    opening = await opening_of(book, date)
    clerk = TenantClerk(book, date, opening)
    ground = await book.ground(close=close_body)
    day = Day.of(book.tenant, date)
    anchored = await clerk.carry_out(anchor_day(day, ground, opening.entries))
    await forget_announced(book)
    return anchored


class TenantClerk(Clerk):
    """Carries out what only a tenant's log has: rows, streams and guests."""

    def __init__(self, book: Book, date: str, opening: Opening) -> None:
        super().__init__(book)
        on, tenant = book.on, book.tenant
        self._date, self._opening = date, opening
        self._documents = on.documents.tenant(tenant)
        self._guests = GuestKeys(tenant, self._documents, on.sealed.tenant(tenant), on.cipher)
        first = not book.record.begun
        self._pages: AsyncIterator[RowPage] = FrozenDay(self._documents, book.files, date, first).pages()
        self._found: dict[str, StreamRecord] = {}
        self._streams: dict[str, StreamRecord] = {}
        """Where the page's streams stood when it came, and where they stand by now."""
        self._subjects: dict[str, Subject] = {}

    async def take(self, step: object) -> object:
        """Note where streams stand, send a page once that is stored, or set the record."""
        match step:
            case KeepHeads():
                self._move(step)
            case More():
                await self._keep()
                return await self._page()
            case KeepAnchor():
                await self._keep()
                marks = self._opening.announced(self._date)
                await self.book.save(step.next, *marks, turned=self._opening.turns)
        return None

    async def _page(self) -> Page | None:
        page = await anext(self._pages, None)
        if page is None:
            return None
        rows = [row.data for row in page.rows]
        await self._look_up(rows)
        return Page(rows, self._head, lambda row: self._subjects[row["aggregateId"]], page.late, FAST)

    def _head(self, stream: str) -> Head:
        return self._streams[stream].head.before(self._date)

    async def _look_up(self, rows: list[Row]) -> None:
        """Find out where the streams of some rows stand, and whom they are about."""
        names = list(dict.fromkeys(row["aggregateId"] for row in rows))
        found = await all_of(self._documents, [Ref(STREAMS, name) for name in names])
        records = zip(names, found, strict=True)
        self._found = {name: _record(name, document) for name, document in records}
        self._streams = {**self._found}
        told = _guests_in(rows)
        known = {name: self._streams[name].guest or told.get(name) for name in names}
        others = [name for name in names if known[name] is None]
        known |= zip(others, await gathered([self._guest_of(name) for name in others]), strict=True)
        guests = [known[name] for name in names]
        on, each = self.book.on, [*dict.fromkeys(guests)]
        review = on.now + await on.kept_for(self.book.tenant)
        subjects = dict(zip(each, await self._guests.subjects(each, on.entropy, review), strict=True))
        self._subjects = {name: subjects[guest] for name, guest in zip(names, guests, strict=True)}

    async def _guest_of(self, stream: str) -> str | None:
        """Return whom a stream is about, as its first event says: those that follow need not (B §2)."""
        if alias := self._streams[stream].alias:  # its rows were let go of, and it goes on
            subject = await self._guests.behind(alias)
            return None if subject is None else subject.guest_id
        row = await self._documents.get(row_ref(stream, 1))
        return None if row is None else _guests_in([row.data]).get(stream)

    def _move(self, step: KeepHeads) -> None:
        for each in step.heads:
            name = each.stream
            self._streams[name] = self._streams[name].after(self._date, each, self._subjects[name])

    async def _keep(self) -> None:
        """Store where the page's streams stand by now; the next page looks up its own."""
        due = [record for name, record in self._streams.items() if record != self._found[name]]
        self._found, self._streams = {}, {}
        for at in range(0, len(due), MOST_WRITES):
            await self._documents.commit([record.write() for record in due[at : at + MOST_WRITES]])


def _record(stream: str, found: Document | None) -> StreamRecord:
    return StreamRecord(stream) if found is None else stream_record_from(found)


def _guests_in(rows: list[Row]) -> dict[str, str]:
    """Return which guest each stream's rows name, where they do."""
    named = dict[str, str]()
    for row in rows:
        if row["aggregateId"] not in named and '"guestId"' in row["body"]:
            guest = orjson.loads(row["body"]).get("data", {}).get("guestId")
            named |= {row["aggregateId"]: guest} if isinstance(guest, str) else {}
    return named
