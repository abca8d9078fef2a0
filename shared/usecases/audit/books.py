"""A log as whoever closes its days has it: its record, its files, its keys, and the steps of a day."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.audit.anchor import (
    Anchored,
    Close,
    Ground,
    KeepAnchor,
    KeepHeads,
    Look,
    More,
    Publish,
    Steps,
    moved,
    never_anchored,
)
from shared.audit.checkpoint import Checkpoint
from shared.audit.log import Write
from shared.audit.notes import Note
from shared.audit.succession import LogKey, LogKeys
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ledger.audit_log import LOGS, OF_CELL, OF_TENANT, LogRecord, log_record_from
from shared.ports.documents import AlreadyExists, Ref
from shared.ports.documents import Write as DocumentWrite
from shared.usecases.audit.log_files import CELL, LogFiles, folder_of, gathered
from shared.usecases.audit.services import AuditServices
from shared.usecases.audit.signers import Signers

AUTHORITY: Final = "audit.melmastoon.ghasi.io"
GRACE: Final = timedelta(minutes=15)
"""How long after midnight a day stays open: its last commits are under way."""
_FILES_AT_ONCE: Final = 64
ANCHORS: Final = "anchors"


@dataclass(slots=True)
class Book:
    """One log, opened to be written or read."""

    on: AuditServices
    tenant: TenantId
    record: LogRecord
    files: LogFiles

    @property
    def signers(self) -> Signers:
        """Whose keys sign for it."""
        return Signers(self.on.sealed, self.on.cipher, self.tenant)

    async def ground(self, seen: tuple[Checkpoint, ...] = (), close: Close | None = None) -> Ground:
        """Return what its next day stands on."""
        keys = self.record.keys
        last = keys.good_for(self.record.anchored.checkpoint.size)
        sign = await self.signers.signing({last, keys.keys[-1].key})
        return Ground(self.record.anchored, keys, sign, (*seen, *await self._published_beyond()), close)

    async def save(self, anchored: Anchored, *beside: DocumentWrite, turned: bool = False) -> None:
        """Set the record, if it is still the one that was read."""
        closed = self.record.closed(anchored, self.on.now, turned)
        versions = await self.on.documents.tenant(self.tenant).commit([closed.write(), *beside])
        self.record = replace(closed, version=versions[0])

    async def note(self, date: str) -> Note | None:
        """Return the signed checkpoint of a day, or None while it is open."""
        content = await self.files.find(anchor_path(date))
        return None if content is None else Note.parse(content)

    async def _published_beyond(self) -> tuple[Checkpoint, ...]:
        """Return what was signed after the record was: after the documents were restored from a backup."""
        last = anchor_path(self.record.anchored.date)
        paths = await self.files.names(f"{ANCHORS}/", after=last, limit=1)
        found = [await self.files.fetch(path) for path in paths]
        return tuple(Checkpoint.parse(Note.parse(content).text) for content in found)


async def open_book(on: AuditServices, tenant: TenantId, name: str = OF_TENANT) -> Book | None:
    """Return a log, or None where no day of it was ever begun."""
    found = await on.documents.tenant(tenant).get(Ref(LOGS, name))
    if found is None:
        return None
    until = on.now + await on.kept_for(tenant)
    folder = CELL if name == OF_CELL else folder_of(tenant)
    return Book(on, tenant, log_record_from(found), LogFiles(on.objects, folder, until))


async def begun_book(on: AuditServices, tenant: TenantId, first: str, name: str = OF_TENANT) -> Book:
    """Return a log; one that was never begun has this as its first day."""
    book = await open_book(on, tenant, name)
    if book is None:
        await _begin(on, tenant, first, name)
        book = await open_book(on, tenant, name)
    if book is None:
        raise InvalidInput("log", "begun and gone", "look who deletes the documents of audit_logs")
    return book


async def _begin(on: AuditServices, tenant: TenantId, first: str, name: str) -> None:
    origin = origin_of(on.cell, None if name == OF_CELL else tenant)
    key = await Signers(on.sealed, on.cipher, tenant).draw(origin, on.entropy)
    record = LogRecord(name, never_anchored(origin, first), LogKeys((LogKey(key),)))
    try:
        await on.documents.tenant(tenant).commit([record.write()])
    except AlreadyExists:  # somebody else has begun it, with a key of theirs
        return


def origin_of(cell: str, tenant: TenantId | None = None) -> str:
    """Return what a log is called: a cell's, or that of a tenant in it."""
    return f"{AUTHORITY}/{cell}" + ("" if tenant is None else f"/{tenant}")


def anchor_path(date: str) -> str:
    """Return where a day's signed checkpoint lies."""
    return f"{ANCHORS}/{date.replace('-', '/')}"


def last_over(now: datetime) -> str:
    """Return the last day that may be closed."""
    return moved((now - GRACE).date().isoformat(), -1)


def require_over(date: str, now: datetime) -> None:
    """Refuse to close a day that is not over."""
    if date > last_over(now):
        raise InvalidInput("date", "not over yet", f"close {last_over(now)}, or a day before")


_BESIDE_FILES: Final = (More, KeepHeads)
"""Steps that neither read the log's files nor vouch for them: files go on gathering."""


class Clerk:
    """Carries out the steps that are the same for every log: questions, files, and the signed checkpoint."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self._files: list[Write] = []

    async def carry_out(self, steps: Steps) -> Anchored:
        """Carry out a day's steps to the end."""
        answer: object = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                anchored: Anchored = end.value
                return anchored
            answer = await self._take(step)

    async def _take(self, step: object) -> object:
        if isinstance(step, Write):
            self._files.append(step)
            if len(self._files) >= _FILES_AT_ONCE:
                await self._put_files()
            return None
        if not isinstance(step, _BESIDE_FILES):
            await self._put_files()
        if isinstance(step, Look):
            return await self.book.files.answer(step.question)
        if isinstance(step, Publish):
            await self.book.files.put(anchor_path(step.date), str(step.note).encode())
            return None
        return await self.take(step)

    async def take(self, step: object) -> object:
        """Set the record; a log that has rows has more to do."""
        if isinstance(step, KeepAnchor):
            await self.book.save(step.next, turned=True)
        return None

    async def _put_files(self) -> None:
        files, self._files = self._files, []
        await gathered([self.book.files.put(each.path, each.content) for each in files])
