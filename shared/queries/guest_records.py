"""What is kept of a guest besides the audit log (A §17.4): stays, keys, attempts at doors, messages.

Nothing in it opens a door; how the guest is reached is the guest's own word, and is not repeated.
"""

from typing import Any

from shared.domain.instants import instant_to_text
from shared.domain.lifecycle import name_of
from shared.ledger.attempt import attempt_from
from shared.ledger.indexes import NOTICES_OF_STAY, OF_KEY, STAYS_OF
from shared.ledger.key_record import KeyRecord
from shared.ledger.notices import notice_from
from shared.ledger.reservation import Reservation, reservation_from
from shared.ports.documents import Document, TenantDocuments
from shared.queries.hotels import every
from shared.queries.keys import keys_of_stay


async def guest_records(store: TenantDocuments, guest: str) -> dict[str, Any]:
    """Return a guest's stays, each with its keys, with who tried doors by them, and with what was written."""
    stays = [reservation_from(found) async for found in every(store, STAYS_OF, {"guest_id": guest})]
    return {"guest": guest, "stays": [await _stay(stay, store) for stay in stays]}


async def _stay(stay: Reservation, store: TenantDocuments) -> dict[str, Any]:
    booked = stay.stay
    times = (
        {}
        if booked is None
        else {"from": instant_to_text(booked.start), "until": instant_to_text(booked.end)}
    )
    rooms = [] if booked is None else [str(room) for room in booked.rooms]
    heard = [{"event": each.subject, "outcome": each.outcome} for each in stay.heard]
    about = {"reservation": stay.id, "property": stay.property_id, "status": stay.status, "rooms": rooms}
    keys = [await _key(each, store) for each in await keys_of_stay(store, stay.id)]
    found = every(store, NOTICES_OF_STAY, {"of_stay": str(stay.id)})
    return {
        **about,
        **times,
        "heard": heard,
        "keys": keys,
        "messages": [_message(each) async for each in found],
    }


async def _key(record: KeyRecord, store: TenantDocuments) -> dict[str, Any]:
    core, state = record.credential.core, record.credential.state
    window = {"from": instant_to_text(core.window.start), "until": instant_to_text(core.window.end)}
    about = {"key": record.id, "state": name_of(type(state)), "rooms": [*map(str, core.rooms)], **window}
    tried = [_attempt(each) async for each in every(store, OF_KEY, {"of_key": str(record.id)})]
    return {**about, "attempts": tried}


def _attempt(found: Document) -> dict[str, Any]:
    it = attempt_from(found)
    said = {"device": str(it.device_id), "opened": it.opened, "refused": it.refused}
    return {"at": instant_to_text(it.at), "means": it.means.value, **said}


def _message(found: Document) -> dict[str, Any]:
    """Say what the guest was told, when, and how far it came on each way; its words were never kept."""
    it = notice_from(found)
    ways = {channel.value: way.state.value for channel, way in it.ways.items()}
    about = {"kind": it.kind.value, "key": str(it.credential), "written": instant_to_text(it.made)}
    return {**about, "ways": ways, "outcome": None if it.outcome is None else it.outcome.value}
