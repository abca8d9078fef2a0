"""Who outside saw the cell's log: a bucket at another cloud, and the front desks' agents.

A witness remembers the last checkpoint it saw, takes only one that continues it, and says so by a line under
it (C2SP tlog-cosignature). The bucket is its own memory: what lies there nobody can take away, so a cell that
was restored from a backup is found to be behind it. The desks keep theirs themselves; here their lines are
checked and kept. They all see the cell's log, which holds sizes and hashes and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol, Self

from shared.audit.checkpoint import Checkpoint, cosignature, cosigned_at
from shared.audit.errors import AuditError, Forked
from shared.audit.intake import Day
from shared.audit.notes import Note, Signature, SignatureType, VerifierKey
from shared.audit.proofs import Path, consistency_path
from shared.audit.succession import beginning
from shared.audit.tiles import stored_subtrees
from shared.audit.witness import Request, judge
from shared.domain.errors import InvalidInput
from shared.ledger.audit_log import OF_CELL
from shared.ports.documents import Create, Ref, Update
from shared.usecases.audit.anchor_cell import WITNESS
from shared.usecases.audit.books import Book, open_book, origin_of
from shared.usecases.audit.services import PLATFORM, SETTINGS, AuditServices
from shared.usecases.audit.signers import WITNESS as PURPOSE
from shared.usecases.audit.signers import Signers, check

DESKS: Final = Ref(SETTINGS, "desks")
MOST_WITNESSES: Final = 60


class OutsideBucket(Protocol):
    """A bucket that somebody else keeps: objects are created once and locked until a time."""

    async def newest(self, prefix: str) -> bytes | None:
        """Return the object whose name sorts last of those that begin so."""

    async def keep(self, name: str, content: bytes, until: datetime) -> None:
        """Create an object that nobody takes away before a time; the same bytes again are no matter."""


@dataclass(frozen=True, slots=True)
class BucketSettings:
    """Where the bucket is, and with which key its lines are signed."""

    bucket: str
    region: str
    key: VerifierKey
    role: str | None = None
    """Whom our function becomes there; without one, whoever the environment says it is."""
    endpoint: str | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Read the settings."""
        key = VerifierKey.parse(data["key"])
        return cls(data["bucket"], data["region"], key, data.get("role"), data.get("endpoint"))


async def bucket_settings(on: AuditServices) -> BucketSettings | None:
    """Return which bucket witnesses the cell, or None where none was set up."""
    found = await on.documents.tenant(PLATFORM).get(WITNESS)
    return None if found is None else BucketSettings.of(found.data)


async def set_up_bucket(body: Mapping[str, Any], on: AuditServices) -> dict[str, Any]:
    """Have a bucket witness the cell from now on; its key is drawn here."""
    given = {name: body.get(name) for name in ("bucket", "region", "role", "endpoint")}
    for name, value in given.items():
        if not isinstance(value, str | None) or (name in ("bucket", "region") and not value):
            raise InvalidInput(name, "missing or not a text", "name the bucket, and the region it is in")
    store = on.documents.tenant(PLATFORM)
    found = await store.get(WITNESS)
    name = f"{given['bucket']}/{on.cell}"
    signers = Signers(on.sealed, on.cipher, PLATFORM, PURPOSE)
    key = await signers.draw(name, on.entropy, SignatureType.COSIGNATURE)
    before = {} if found is None else found.data
    former = [*before["former"], before["key"]] if before else []
    data = {**before, "schema_version": 1, **given, "key": str(key), "former": former}
    write = Create(WITNESS, data) if found is None else Update(WITNESS, data, found.version)
    await store.commit([write])
    return {"witness": str(key)}


async def remembered(on: AuditServices, bucket: OutsideBucket) -> Note | None:
    """Return the last checkpoint that the bucket has of this cell's log."""
    content = await bucket.newest(f"{on.cell}/")
    return None if content is None else Note.parse(content)


async def witness_day(date: str, on: AuditServices, settings: BucketSettings, bucket: OutsideBucket) -> None:
    """Show the bucket a day's checkpoint; once it lies there, its line goes under ours."""
    book = await _cell(on)
    note = await _note_of(book, date)
    last = await remembered(on, bucket)
    before = beginning(book.record.origin) if last is None else Checkpoint.parse(last.text)
    request = Request(before.size, await _path(book, before, Checkpoint.parse(note.text)), note)
    keys = [each.key for each in book.record.keys.keys]
    verdict = judge(str(request).encode(), lambda _: keys, lambda _: before, check)
    if verdict.keep is None:
        on.log.alert("a witness refuses the cell's log", runbook="audit/anchor", reason=verdict.body.strip())
        raise Forked(f"the witness of the cell refuses its checkpoint of {date}: {verdict.body.strip()}")
    until = on.now + await on.kept_for(PLATFORM)
    await bucket.keep(f"{on.cell}/{verdict.keep.size:020d}", str(note).encode(), until)
    sign = (await Signers(on.sealed, on.cipher, PLATFORM, PURPOSE).signing([settings.key]))(settings.key)
    await _keep_line(book, date, cosignature(note.text, int(on.now.timestamp()), settings.key, sign))


async def request_for(old: int, on: AuditServices) -> dict[str, Any]:
    """Return what a desk asks for: the last checkpoint, and what shows that it continues the one it has."""
    book = await _cell(on)
    date, at = book.record.anchored.date, book.record.anchored.checkpoint
    if not 0 <= old <= at.size:
        raise InvalidInput("old", "no size that this log ever had", f"give 0 to {at.size}")
    path = await _consistency(book, old, at.size)
    return {"date": date, "request": str(Request(old, path, await _note_of(book, date)))}


async def cosign(body: Mapping[str, Any], on: AuditServices) -> dict[str, Any]:
    """Keep the line of a desk under a day's checkpoint, if it is one of ours and right."""
    book, date = await _cell(on), Day.of(PLATFORM, str(body.get("date"))).date
    note, line = await _note_of(book, date), body.get("line")
    try:
        signature = Signature.parse(str(line).removesuffix("\n"))
        under = note.signed_too([signature])
        known = [key for key in await desks(on) if cosigned_at(under, key, check) is not None]
    except AuditError as refusal:
        raise InvalidInput("line", str(refusal), "send the line as the witness made it") from None
    if not known:
        raise InvalidInput("line", "of no desk that is trusted here", "add the desk's key first")
    await _keep_line(book, date, signature)
    return {"date": date, "witness": known[0].name}


async def trust_desk(body: Mapping[str, Any], on: AuditServices) -> dict[str, Any]:
    """Add a desk to those whose lines are kept."""
    try:
        key = VerifierKey.parse(str(body.get("key")))
    except AuditError as refusal:
        raise InvalidInput("key", str(refusal), "give the desk's key as it shows it") from None
    if key.type is not SignatureType.COSIGNATURE:
        raise InvalidInput("key", "of no witness", "give a key of type 0x04")
    store = on.documents.tenant(PLATFORM)
    found = await store.get(DESKS)
    before = {} if found is None else found.data
    keys = [*dict.fromkeys([*(before["keys"] if before else ()), str(key)])]
    if len(keys) > MOST_WITNESSES:
        raise InvalidInput("key", f"more than {MOST_WITNESSES} desks", "take one away first")
    data = {**before, "schema_version": 1, "keys": keys}
    await store.commit([Create(DESKS, data) if found is None else Update(DESKS, data, found.version)])
    return {"witnesses": keys}


async def desks(on: AuditServices) -> list[VerifierKey]:
    """Return the keys of the desks whose lines are kept."""
    found = await on.documents.tenant(PLATFORM).get(DESKS)
    return [] if found is None else [VerifierKey.parse(each) for each in found.data["keys"]]


async def witnesses(on: AuditServices) -> list[VerifierKey]:
    """Return the keys of all witnesses of the cell, those of the bucket's former set-ups as well."""
    found = await on.documents.tenant(PLATFORM).get(WITNESS)
    kept = [] if found is None else [found.data["key"], *found.data["former"]]
    return [*map(VerifierKey.parse, kept), *await desks(on)]


async def cosigned(book: Book, date: str) -> Note | None:
    """Return the cell's checkpoint of a day with every line that was kept under it."""
    note = await book.note(date)
    if note is None:
        return None
    paths = await book.files.names(f"{_folder(date)}/")
    lines = [await book.files.fetch(path) for path in paths]
    return note.signed_too(Signature.parse(line.decode().removesuffix("\n")) for line in lines)


async def require_witnessed(on: AuditServices) -> bool:
    """Call for somebody if the cell's last day has no line of its bucket, though there is one."""
    settings, book = await bucket_settings(on), await open_book(on, PLATFORM, OF_CELL)
    if settings is None or book is None or not book.record.begun:
        return True
    date = book.record.anchored.date
    if await book.files.find(f"{_folder(date)}/{settings.key.id.hex()}") is not None:
        return True
    on.log.alert("the cell's audit log is not witnessed", runbook="audit/anchor", day=date)
    return False


async def lines_under(date: str, on: AuditServices) -> list[str]:
    """Return the names of those who cosigned a day."""
    book = await _cell(on)
    found = await cosigned(book, date)
    own = {each.key.name for each in book.record.keys.keys}
    return [] if found is None else [each.name for each in found.signatures if each.name not in own]


async def _cell(on: AuditServices) -> Book:
    book = await open_book(on, PLATFORM, OF_CELL)
    if book is None:
        raise InvalidInput(
            "date", "no day of the cell was closed", f"close one of {origin_of(on.cell)} first"
        )
    return book


async def _note_of(book: Book, date: str) -> Note:
    note = await book.note(date)
    if note is None:
        raise InvalidInput("date", "not closed", f"the last closed day is {book.record.anchored.date}")
    return note


async def _path(book: Book, before: Checkpoint, at: Checkpoint) -> Path:
    return await _consistency(book, before.size, at.size) if before.size <= at.size else ()


async def _consistency(book: Book, old: int, new: int) -> Path:
    if not 0 < old < new:
        return ()
    return await book.files.answer(lambda read: consistency_path(old, new, stored_subtrees(new, read)))


async def _keep_line(book: Book, date: str, signature: Signature) -> None:
    """Keep the first line of a witness: a later one says the same of a later hour."""
    path = f"{_folder(date)}/{signature.key_id.hex()}"
    if await book.files.find(path) is None:
        await book.files.put(path, str(signature).encode())


def _folder(date: str) -> str:
    return f"cosigned/{date.replace('-', '/')}"
