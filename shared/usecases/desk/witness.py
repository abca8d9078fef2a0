"""Desks as witnesses of the cell's log: who was let in as a desk is trusted as one, while there is room."""

from collections.abc import Mapping
from typing import Any

from shared.domain.errors import InvalidInput
from shared.ledger.audit_log import OF_CELL
from shared.usecases.audit import witnessing
from shared.usecases.audit.books import open_book
from shared.usecases.audit.services import PLATFORM, AuditServices


async def requested(body: Mapping[str, Any], on: AuditServices) -> dict[str, Any]:
    """Return what a desk is to cosign, with the log's keys; its own key is trusted from now on.

    A cell has more desks than a reader of its log could check: those that came first are enough.
    """
    old, key = body.get("old"), str(body.get("key"))
    if not isinstance(old, int) or isinstance(old, bool):
        raise InvalidInput("old", "not a whole number", "give the size that the desk remembers")
    known = [str(each) for each in await witnessing.desks(on)]
    if key not in known and len(known) < witnessing.MOST_WITNESSES:
        await witnessing.trust_desk({"key": key}, on)
    asked = await witnessing.request_for(old, on)
    book = await open_book(on, PLATFORM, OF_CELL)
    keys = [] if book is None else [str(each.key) for each in book.record.keys.keys]
    return {**asked, "keys": keys}
