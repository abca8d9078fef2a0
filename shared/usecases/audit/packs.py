"""Evidence to take away: a pack that is checked without us, a page that is read, and the keys to trust."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self
from zoneinfo import ZoneInfo

from shared.audit.evidence import evidence
from shared.audit.notes import Note, signed
from shared.audit.pack import Anchor, Contents, Files, Streams, pack_of
from shared.audit.page import Reader, page
from shared.audit.page_words import WORDS
from shared.audit.tiles import Read
from shared.audit.trust import Trust
from shared.domain.errors import InvalidInput
from shared.domain.ids import IntegratorId, TenantId, UserId
from shared.domain.instants import instant_to_text
from shared.ledger.audit_log import OF_CELL
from shared.usecases.audit.books import open_book
from shared.usecases.audit.disclosures import Disclosure, note
from shared.usecases.audit.log_files import answered
from shared.usecases.audit.questions import Asked, Found, find
from shared.usecases.audit.reader import LogReader, reader_of
from shared.usecases.audit.services import PLATFORM, AuditServices
from shared.usecases.audit.witnessing import witnesses

MOST_BYTES: Final = 24_000_000
"""What an answer of a function carries."""


@dataclass(frozen=True, slots=True)
class WantPack:
    """The wish for a pack: what it is to show, to whom, and in which language its page is."""

    asked: Asked
    by: UserId | IntegratorId
    language: str = "en"

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the wish."""
        language = str(body.get("language") or "en")
        if language not in WORDS:
            raise InvalidInput("language", "not spoken here", f"say one of {', '.join(WORDS)}")
        return cls(Asked.of(body), UserId.parse(body.get("by"), "by"), language)


async def hand_out(wish: WantPack, on: AuditServices) -> dict[str, Any]:
    """Make a pack and its page, once it is noted who gets them."""
    log = await reader_of(wish.asked.tenant, on)
    found = await find(wish.asked, log, on.documents.tenant(wish.asked.tenant))
    subject = await log.guests.of(wish.asked.about) if wish.asked.kind == "guest" else None
    alias = None if subject is None else subject.alias
    export = await note(Disclosure(wish.asked, wish.by, "evidence", "shown", alias), on)
    return {"export": export, **await shown(found, wish, log, on)}


async def shown(found: Found, wish: WantPack, log: LogReader, on: AuditServices) -> dict[str, Any]:
    """Return pack, page and policy of what was found."""
    content = await packed(found, log, on)
    reader = Reader(wish.language, ZoneInfo(found.zone))
    told = evidence(found.question, found.told)
    return {
        "closed_up_to": log.date,
        "entries": len(found.entries),
        "complete_for": "streams" if isinstance(found.scope, Streams) else "span",
        "pack": base64.b64encode(content).decode(),
        "page": page(told, log.at, reader),
        "policy": await policy(wish.asked.tenant, on),
    }


async def packed(found: Found, log: LogReader, on: AuditServices) -> bytes:
    """Return a pack of what was found, sealed by the log's own key."""
    anchors = await _anchors(found, log)
    key = log.book.record.keys.good_for(log.at.size)
    sign = (await log.book.signers.signing([key]))(key)
    contents = Contents(found.scope, anchors, found.packed, instant_to_text(on.now))

    def seal(text: str) -> Note:
        return signed(text, key, sign)

    def pack(tenant: Read, cell: Read) -> bytes:
        return b"".join(pack_of(contents, Files(tenant, cell), seal))

    content = await answered(pack, log.book.files, log.cell.files)
    if len(content) > MOST_BYTES:
        raise InvalidInput("until", f"a pack of over {MOST_BYTES} bytes", "ask for a shorter time")
    return content


async def policy(tenant: TenantId, on: AuditServices) -> str:
    """Return the keys that a reader of a tenant's packs trusts, and should have by another way."""
    books = [await open_book(on, PLATFORM, OF_CELL), await open_book(on, tenant)]
    keys = [each.record.keys for each in books if each is not None]
    if len(keys) < len(books):
        raise InvalidInput("tenant", "no day of its log is closed yet", "wait for the night, or close one")
    known = await witnesses(on)
    return str(Trust(keys, known, min(1, len(known))))


async def _anchors(found: Found, log: LogReader) -> Sequence[Anchor]:
    """Return the first day's anchor that covers what was found, and the last: what is between is proven."""
    days = sorted({each.header["at"][:10] for each in found.told if "at" in each.header})
    first = next((each for each in [await log.anchor(day) for day in days[:1]] if each is not None), None)
    if first is None or first.tenant_at.size >= log.at.size:
        return [log.last]
    if len(first.cell.signatures) < len(log.last.cell.signatures):
        return [log.last]  # it is of a time before the witnesses of today
    return [first, log.last]
