"""Desks as witnesses of the cell's log: all remember it; the lines of those an operator trusts count."""

from collections.abc import Mapping
from typing import Any

from shared.domain.errors import InvalidInput
from shared.ledger.audit_log import OF_CELL
from shared.usecases.audit import witnessing
from shared.usecases.audit.books import open_book
from shared.usecases.audit.services import PLATFORM, AuditServices


async def requested(body: Mapping[str, Any], on: AuditServices) -> dict[str, Any]:
    """Return what a desk is to remember, with the log's keys, and whether its line is wanted.

    Every desk remembers, and finds a history that was written anew. Readers of the log ask for one line of
    those that are trusted, so a desk that may be switched off for days is trusted by a person (0083).
    """
    old, key = body.get("old"), str(body.get("key"))
    if not isinstance(old, int) or isinstance(old, bool):
        raise InvalidInput("old", "not a whole number", "give the size that the desk remembers")
    trusted = key in [str(each) for each in await witnessing.desks(on)]
    asked = await witnessing.request_for(old, on)
    book = await open_book(on, PLATFORM, OF_CELL)
    keys = [] if book is None else [str(each.key) for each in book.record.keys.keys]
    return {**asked, "keys": keys, "trusted": trusted}
