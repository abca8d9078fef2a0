"""Who arrives on a day, and what to try next for those whose keys may not open."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.instants import instant_to_text
from shared.domain.kinds import KeyCredentialKind as Kind
from shared.domain.lifecycle import name_of
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.key_record import KeyRecord
from shared.ports.documents import TenantDocuments
from shared.queries.coming import READY, Coming, Span, coming

AT_RISK_WITHIN: Final = timedelta(hours=24)
LADDER: Final = (Kind.MOBILE_APP, Kind.PIN_CODE, Kind.RFID_CARD)
ESCORT: Final = "escort"
"""The last rung: somebody goes along and opens."""


async def arrivals(
    store: TenantDocuments, setup: HotelSetup, day: Span, now: datetime
) -> list[dict[str, Any]]:
    """Return the confirmed stays that begin on a day, in the order of their arrival, with their readiness."""
    return [_arrival(each, setup, now) for each in await coming(store, setup.property.id, day)]


def _arrival(comes: Coming, setup: HotelSetup, now: datetime) -> dict[str, Any]:
    record, stay, ready = comes.record, comes.stay, comes.readiness
    at_risk = ready not in READY and now >= stay.start - AT_RISK_WITHIN
    return {
        "reservation": record.id,
        "rooms": list(stay.rooms),
        "arrives": instant_to_text(stay.start),
        "leaves": instant_to_text(stay.end),
        "readiness": ready,
        "refused": record.refused,
        "holds": sorted(record.holds),
        "keys": [_key(comes, key) for key in comes.keys],
        "at_risk": at_risk,
        "next_rung": next_rung(comes.keys, stay.rooms, setup) if at_risk else None,
    }


def _key(comes: Coming, key: KeyRecord) -> dict[str, Any]:
    state = name_of(type(key.credential.state))
    kind = key.credential.core.plan.current.kind.value
    return {"id": key.id, "state": state, "kind": kind, "readiness": comes.readiness_of(key)}


def next_rung(keys: Sequence[KeyRecord], rooms: Sequence[Any], setup: HotelSetup) -> str:
    """Return what to try next for a guest: the next kind that every door of the stay knows, or an escort."""
    tried = {choice.kind for key in keys for choice in (key.credential.core.plan.current,)}
    doors = setup.doors(rooms)
    for kind in LADDER:
        if kind not in tried and doors and all(door.capabilities.supports(kind) for door in doors):
            return kind.value
    return ESCORT
