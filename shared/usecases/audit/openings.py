"""What a day of the log opens with: what the log says of itself, written down before it is used.

A key that takes over is announced under the one it replaces; a guest is forgotten only once the log has said
that the bodies of so many entries go.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from shared.audit.entries import Entry, expiry_entry, key_entry
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.instants import instant_to_text
from shared.ledger.audit_log import OF_CELL, OF_TENANT
from shared.ledger.indexes import EXPIRIES
from shared.ports.documents import Document, Update
from shared.ports.objects import ObjectExists
from shared.usecases.audit.books import Book, open_book
from shared.usecases.audit.services import PLATFORM, AuditServices

MOST_EXPIRIES: Final = 200
"""Guests a day: each is marked in the commit that sets the record."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The first entries of a day, whether a key takes over behind it, and the expiries that it announces."""

    entries: tuple[Entry, ...] = ()
    turns: bool = False
    expiries: tuple[Document, ...] = ()

    def announced(self, date: str) -> Iterator[Update]:
        """Yield what marks the expiries as announced, beside the record."""
        for each in self.expiries:
            yield Update(each.ref, {**each.data, "announced": date}, each.version)


async def opening_of(book: Book, date: str) -> Opening:
    """Return what a day opens with; it was closed already if none is needed any more."""
    if book.record.anchored.date >= date:
        return Opening()
    due = await _expiries(book)
    frozen = await _frozen(book, date, due)
    entries = tuple(Entry(header.encode()) for header in frozen["entries"])
    named = {*frozen["expiries"]}
    return Opening(entries, frozen["turns"], tuple(each for each in due if each.ref.id in named))


async def _frozen(book: Book, date: str, due: list[Document]) -> dict[str, Any]:
    path = f"intake/{date.replace('-', '/')}/opening"
    content = await book.files.find(path)
    if content is None:
        content = json.dumps(_gathered(book, due)).encode()
        try:
            await book.files.put(path, content)
        except ObjectExists:  # somebody else froze it meanwhile
            content = await book.files.fetch(path)
    opening: dict[str, Any] = json.loads(content)
    return opening


def _gathered(book: Book, due: list[Document]) -> dict[str, Any]:
    at, record = instant_to_text(book.on.now), book.record
    entries = [
        expiry_entry(book.tenant, at, each.data["policy"], each.data["first"], each.data["count"])
        for each in due
    ]
    if record.coming is not None:
        entries.insert(0, key_entry(book.tenant, at, record.coming, record.keys.keys[-1].key))
    headers = [entry.header.decode() for entry in entries]
    turns = record.coming is not None
    return {"entries": headers, "turns": turns, "expiries": [each.ref.id for each in due]}


async def _expiries(book: Book) -> list[Document]:
    found = await book.on.documents.tenant(book.tenant).query(EXPIRIES, {}, limit=MOST_EXPIRIES)
    return [each for each in found if "announced" not in each.data]


async def draw_next_key(tenant: TenantId, on: AuditServices) -> dict[str, Any]:
    """Have a tenant's log turn to another key with its next day; the platform's name means the cell's log."""
    await on.admitted(tenant)
    name = OF_CELL if tenant == PLATFORM else OF_TENANT
    book = await open_book(on, tenant, name)
    if book is None:
        raise InvalidInput("tenant", "no day of its log was begun", "wait for the night, or close one")
    return {"tenant": tenant, "coming": str((await rotate_key(book)).record.coming)}


async def rotate_key(book: Book) -> Book:
    """Draw the key that takes over with the next day; one that is to come already is the one."""
    if book.record.coming is not None:
        return book
    key = await book.signers.draw(book.record.origin, book.on.entropy)
    record = replace(book.record, coming=key)
    versions = await book.on.documents.tenant(book.tenant).commit([record.write()])
    return replace(book, record=replace(record, version=versions[0]))
