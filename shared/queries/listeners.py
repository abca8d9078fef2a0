"""Addresses that hear a tenant's events, and what was sent there, as people may see them: no secret."""

from dataclasses import dataclass
from typing import Any

from shared.domain.instants import instant_to_text
from shared.ledger import listener, sending
from shared.ledger.indexes import SENDINGS_TO
from shared.ledger.sending import sending_from
from shared.ports.documents import TenantDocuments
from shared.queries.grants import moment
from shared.queries.pages import Place, page_of

Listener = listener.Listener
Sending = sending.Sending


@dataclass(frozen=True, slots=True)
class SendingPage:
    """Some of what was sent to a listener, and the cursor of the next page if there may be one."""

    sendings: tuple[Sending, ...]
    cursor: str | None


async def find_listener(name: str, store: TenantDocuments) -> Listener | None:
    """Return an address that hears events, or None."""
    return await listener.find_listener(name, store)


async def all_listeners(store: TenantDocuments) -> list[Listener]:
    """Return the addresses that hear a tenant's events."""
    return await listener.listeners_of(store)


async def sendings_paged(name: str, store: TenantDocuments, place: Place) -> SendingPage:
    """Return some of what was sent to a listener, the newest first."""
    page = await page_of(store, SENDINGS_TO, {"listener": name}, place)
    return SendingPage(tuple(map(sending_from, page.documents)), page.cursor)


def shown_listener(of: Listener) -> dict[str, Any]:
    """Return what people may see of a listener."""
    return {
        "id": of.id,
        "url": of.url,
        "events": list(of.events),
        "properties": list(of.properties),
        "state": of.state,
        "by": str(of.by),
        "made_at": instant_to_text(of.made_at),
        "failures": of.failures,
        "failing_since": moment(of.failing_since),
        "rests_until": moment(of.rests_until),
        "because": of.because,
    }


def shown_sending(of: Sending) -> dict[str, Any]:
    """Return what people may see of an event on its way: of answers, their status alone."""
    tries = [
        {"at": moment(each.at), "took_ms": each.took_ms, "status": each.status, "problem": each.problem}
        for each in of.tries
    ]
    return {
        "id": of.id,
        "event": of.event,
        "subject": of.subject,
        "state": of.state,
        "made_at": instant_to_text(of.made_at),
        "due_at": moment(of.due),
        "tries": tries,
    }
