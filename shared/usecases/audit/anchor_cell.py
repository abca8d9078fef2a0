"""Close the cell's day: its entries are the tenants' checkpoints, and it is what witnesses see.

Which checkpoints a day has is frozen before it is used, so that it is the same whoever makes it again; a
tenant whose day is open is left out of it, told of, and in the next. Where a witness is set up, what it
remembers has to come along: a cell that is behind its witness was restored from a backup, and signs nothing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from shared.audit.anchor import anchor_cell, moved
from shared.audit.checkpoint import Checkpoint
from shared.audit.errors import AuditError
from shared.audit.intake import Day
from shared.audit.notes import Note
from shared.audit.succession import beginning, require_not_behind
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ledger.audit_log import OF_CELL
from shared.ports.documents import Ref
from shared.ports.objects import ObjectExists
from shared.usecases.audit.books import Book, Clerk, begun_book, open_book, origin_of, require_over
from shared.usecases.audit.log_files import gathered
from shared.usecases.audit.services import PLATFORM, SETTINGS, AuditServices

WITNESS: Final = Ref(SETTINGS, "witness")


@dataclass(frozen=True, slots=True)
class CloseCell:
    """The wish to have the cell's day closed, of some tenants, and what its witness remembers of it."""

    date: str
    tenants: tuple[TenantId, ...]
    seen: tuple[Checkpoint, ...] = field(default=())

    @classmethod
    def of(cls, body: Mapping[str, Any], tenants: Sequence[TenantId]) -> Self:
        """Read the command."""
        seen = body.get("seen") or ()
        if isinstance(seen, str) or not all(isinstance(each, str) for each in seen):
            raise InvalidInput("seen", "no list of checkpoints", "pass on what audit-witness remembers")
        points = tuple(map(Checkpoint.parse, seen))
        return cls(Day.of(PLATFORM, str(body.get("date"))).date, tuple(tenants), points)


async def require_fresh(on: AuditServices, seen: tuple[Checkpoint, ...]) -> None:
    """Refuse to go on from a restored backup, before any tenant's day is closed."""
    book = await open_book(on, PLATFORM, OF_CELL)
    last = beginning(origin_of(on.cell)) if book is None else book.record.anchored.checkpoint
    try:
        require_not_behind(last, seen)
    except AuditError as refusal:
        _alert(on, refusal)
        raise


async def close_cell(command: CloseCell, on: AuditServices) -> dict[str, Any]:
    """Close the cell's days up to one, and tell which tenants' days are open."""
    require_over(command.date, on.now)
    if not command.seen and await on.documents.tenant(PLATFORM).get(WITNESS) is not None:
        raise InvalidInput("seen", "missing, though the cell has a witness", "ask audit-witness first")
    book = await begun_book(on, PLATFORM, command.date, OF_CELL)
    try:
        if book.record.begun:
            await _close(book, book.record.anchored.date, (), command.seen)
        while book.record.anchored.date < command.date:
            await _close(book, moved(book.record.anchored.date, 1), command.tenants, command.seen)
    except AuditError as refusal:
        _alert(on, refusal)
        raise
    absent = await _open_days(command, on)
    at = book.record.anchored.checkpoint
    return {"date": book.record.anchored.date, "checkpoint": at.text, "size": at.size, "open": absent}


async def place_of(book: Book, date: str, origin: str) -> int | None:
    """Return at which index of the cell's log a tenant's checkpoint of a day stands."""
    content = await book.files.find(_day_path(date))
    if content is None:
        return None
    day = json.loads(content)
    origins = [Checkpoint.parse(text).origin for text in day["checkpoints"]]
    return int(day["first"]) + origins.index(origin) if origin in origins else None


async def _close(book: Book, date: str, tenants: Sequence[TenantId], seen: tuple[Checkpoint, ...]) -> None:
    points = await _frozen(book, date, tenants)
    ground = await book.ground(seen)
    await Clerk(book).carry_out(anchor_cell(date, ground, points))


async def _frozen(book: Book, date: str, tenants: Sequence[TenantId]) -> list[Checkpoint]:
    content = await book.files.find(_day_path(date))
    if content is None:
        found = await gathered([_checkpoint(book.on, tenant, date) for tenant in tenants])
        texts = sorted((each for each in found if each is not None), key=lambda each: each.origin)
        first = book.record.anchored.checkpoint.size
        content = json.dumps({"first": first, "checkpoints": [each.text for each in texts]}).encode()
        try:
            await book.files.put(_day_path(date), content)
        except ObjectExists:  # somebody else froze it meanwhile
            content = await book.files.fetch(_day_path(date))
    return [Checkpoint.parse(text) for text in json.loads(content)["checkpoints"]]


async def _checkpoint(on: AuditServices, tenant: TenantId, date: str) -> Checkpoint | None:
    book = await open_book(on, tenant)
    note: Note | None = None if book is None else await book.note(date)
    return None if note is None else Checkpoint.parse(note.text)


async def _open_days(command: CloseCell, on: AuditServices) -> list[str]:
    """Name the tenants whose day is open, and have somebody look at them."""
    found = await gathered([_checkpoint(on, tenant, command.date) for tenant in command.tenants])
    absent = [str(each) for each, at in zip(command.tenants, found, strict=True) if at is None]
    for tenant in absent:
        on.log.alert(
            "a day of the audit log is open", runbook="audit/anchor", tenant=tenant, day=command.date
        )
    return absent


def _day_path(date: str) -> str:
    return f"days/{date.replace('-', '/')}"


def _alert(on: AuditServices, refusal: AuditError) -> None:
    on.log.alert("the cell's audit log cannot be closed", runbook="audit/anchor", reason=str(refusal))
