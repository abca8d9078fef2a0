"""A key that is gone from its lock is placed there again: the same key, by the same engine, as a wish.

Its finding is settled once the engine knows the key at its lock again; the lock's list is read by night.
"""

from dataclasses import replace
from typing import Final

from shared.keywork.orders import Order, place_key_again
from shared.keywork.services import Services
from shared.ledger.finding import Finding, FindingEnd, Word, WordGiven, finding_from
from shared.ledger.indexes import FINDINGS
from shared.ledger.key_record import Cause
from shared.ledger.ledger import Ledger, Saved
from shared.ports.documents import Document

PAGE: Final = 500


async def place_again(
    finding: Finding, given: WordGiven, ledger: Ledger, services: Services
) -> tuple[Finding, Saved | None]:
    """Order it, once: the wish and the finding that says so are one commit. The sweeper begins the work.

    Where nobody wants the key at its lock any more, the finding is settled.
    """
    found = await ledger.documents.get(finding.ref)
    fresh = finding if found is None else finding_from(found)
    if fresh.over or fresh.word is given.word:
        return fresh, None
    entry = None if fresh.credential_id is None else await ledger.entry(fresh.credential_id)
    kept = None if fresh.grant_id is None else await ledger.grant(fresh.grant_id)
    change = None
    if entry is not None and kept is not None:
        change = place_key_again(entry, kept, Order(Cause(entry.cause.trace_id), services.now))
    if change is None:
        over = fresh.ended(FindingEnd.KEY_ENDED, services.now)
        await ledger.documents.commit([over.write()])
        return over, None
    ordered = replace(fresh, given=given)
    return ordered, await ledger.save(change, ordered.write())


async def settle_placed(ledger: Ledger, services: Services) -> int:
    """Settle what was ordered and has come to be, and what is wanted no more; return how much that is."""
    settled = 0
    for finding in map(finding_from, await open_findings(ledger)):
        end = None if finding.kind.opens else await _end_of(finding, ledger)
        if end is not None:
            await ledger.documents.commit([finding.ended(end, services.now).write()])
            settled += 1
    return settled


async def _end_of(finding: Finding, ledger: Ledger) -> FindingEnd | None:
    kept = None if finding.grant_id is None else await ledger.grant(finding.grant_id)
    if kept is None or not kept.wanted:
        return FindingEnd.KEY_ENDED
    return FindingEnd.AS_WISHED if finding.word is Word.PLACE and kept.stands else None


async def open_findings(ledger: Ledger) -> list[Document]:
    """Return what was found and is not settled."""
    found, page = list[Document](), list(await ledger.documents.query(FINDINGS, {}, limit=PAGE))
    while page:
        found += page
        more = len(page) == PAGE
        page = list(await ledger.documents.query(FINDINGS, {}, after=page[-1], limit=PAGE)) if more else []
    return found
