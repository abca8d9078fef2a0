"""What is kept of a guest besides the audit log (A §17.4): stays and keys, with nothing that opens a door."""

from typing import Any, Final

from shared.domain.instants import instant_to_text
from shared.domain.lifecycle import name_of
from shared.ledger.indexes import STAYS_OF
from shared.ledger.key_record import KeyRecord
from shared.ledger.reservation import Reservation, reservation_from
from shared.ports.documents import TenantDocuments
from shared.queries.hotels import every
from shared.queries.keys import keys_of_stay

NO_MESSAGES: Final[tuple[str, ...]] = ()
"""Messages to guests are not kept here."""


async def guest_records(store: TenantDocuments, guest: str) -> dict[str, Any]:
    """Return a guest's stays, each with its keys."""
    stays = [reservation_from(found) async for found in every(store, STAYS_OF, {"guest_id": guest})]
    shown = [_stay(stay, await keys_of_stay(store, stay.id)) for stay in stays]
    return {"guest": guest, "stays": shown, "messages": [*NO_MESSAGES]}


def _stay(stay: Reservation, keys: Any) -> dict[str, Any]:
    booked = stay.stay
    times = (
        {}
        if booked is None
        else {"from": instant_to_text(booked.start), "until": instant_to_text(booked.end)}
    )
    rooms = [] if booked is None else [str(room) for room in booked.rooms]
    heard = [{"event": each.subject, "outcome": each.outcome} for each in stay.heard]
    about = {"reservation": stay.id, "property": stay.property_id, "status": stay.status, "rooms": rooms}
    return {**about, **times, "heard": heard, "keys": [_key(each) for each in keys]}


def _key(record: KeyRecord) -> dict[str, Any]:
    core, state = record.credential.core, record.credential.state
    window = {"from": instant_to_text(core.window.start), "until": instant_to_text(core.window.end)}
    return {"key": record.id, "state": name_of(type(state)), "rooms": [*map(str, core.rooms)], **window}
