"""A stay as people may see it: how it stands, what was booked, and what was made of each of its events."""

from typing import Any

from shared.domain.errors import InvalidInput
from shared.domain.instants import instant_to_text
from shared.domain.lifecycle import name_of
from shared.ledger.booking_notes import BookingEventNote
from shared.ledger.key_record import KeyRecord
from shared.ledger.reservation import Reservation, ref_of, reservation_from
from shared.ports.documents import TenantDocuments
from shared.queries.grants import at_or_none
from shared.queries.hotels import Cell, Unknown, zones
from shared.queries.keys import key_of, whose


async def shown_stay(cell: Cell, reservation: str, tenant: str | None) -> dict[str, Any]:
    """Return one stay of a tenant, or of whichever tenant has it."""
    found = [(store, await store.get(ref_of(reservation))) for store in await cell.known(tenant)]
    known = [(store, reservation_from(each)) for store, each in found if each is not None]
    if not known:
        remedy = f"see keyfleet dead-letter list --reservation {reservation[:80]}"
        raise Unknown(f"no booking {reservation[:80]!r}: {remedy}")
    if len(known) > 1:
        named = ", ".join(store.tenant for store, _ in known)
        raise InvalidInput("id", "known to several tenants", f"name one with --tenant: {named}")
    ((store, record),) = known
    zone = None if record.property_id is None else (await zones(store)).get(record.property_id)
    return await stay_as_shown(store, record, zone)


async def stay_as_shown(store: TenantDocuments, record: Reservation, zone: str | None) -> dict[str, Any]:
    """Return a stay that was read, at a property in a time zone, as people may see it."""
    booked = record.stay
    # Its guest's other stay may have one of them now: it is shown with both.
    keys = [key for name in sorted(record.credentials) if (key := await key_of(store, name)) is not None]
    return {
        "reservation": record.id,
        "tenant": store.tenant,
        "property": record.property_id,
        "zone": zone,
        "status": record.status,
        "refused": record.refused,
        "holds": sorted(record.holds),
        "planned": [{"at": instant_to_text(each.at), "what": each.what} for each in record.planned],
        "next_check": at_or_none(record.next_check),
        "guest": None if booked is None else booked.guest_id,
        "rooms": [] if booked is None else list(booked.rooms),
        "from": None if booked is None else instant_to_text(booked.start),
        "until": None if booked is None else instant_to_text(booked.end),
        "party": None if booked is None else booked.party,
        "keys": [_key(each) for each in keys],
        "heard": [_event(each) for each in record.heard],
    }


def _key(key: KeyRecord) -> dict[str, Any]:
    core = key.credential.core
    state = name_of(type(key.credential.state))
    named = {"id": key.id, "state": state, "role": core.role, "replaces": core.replaces}
    return {**named, **whose(key)}


def _event(note: BookingEventNote) -> dict[str, Any]:
    return {
        "event": note.event_id,
        "subject": note.subject,
        "version": note.standing.version,
        "dated": instant_to_text(note.standing.time),
        "heard_at": at_or_none(note.at),
        "outcome": note.outcome,
        "because": note.because,
        "reused_at": at_or_none(note.differs),
    }
