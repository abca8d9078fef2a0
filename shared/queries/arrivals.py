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
    place = {"property_id": setup.property.id}
    stays = [reservation_from(each) for each in await within(store, STAYS_AT, place, day)]
    grants = await within(store, COMING, {"grant.property_id": setup.property.id}, day)
    doors = defaultdict[str, list[GrantRecord]](list)
    for each in map(grant_from, grants):
        doors[each.grant.credential_id].append(each)
    coming = [each for each in stays if each.status is Status.CONFIRMED and each.stay is not None]
    keys = await _keys(store, coming)
    return [_arrival(each, keys, doors, setup, now) for each in coming]


async def within(store: TenantDocuments, index: Index, equals: Mapping[str, Any], day: Day) -> list[Document]:
    """Return all that an index has between two instants, in order."""
    until, after = milliseconds(day.ends) - 1, from_value(index, milliseconds(day.begins))
    found = list[Document]()
    while True:
        page = await store.query(index, equals, until=until, after=after, limit=MOST_RESULTS)
        found += page
        if len(page) < MOST_RESULTS:
            return found
        after = page[-1]


async def _keys(store: TenantDocuments, stays: Iterable[Reservation]) -> dict[str, KeyRecord]:
    names = [key for stay in stays for key in stay.credentials]
    found = dict[str, KeyRecord]()
    for first in range(0, len(names), AT_ONCE):
        part = await asyncio.gather(*(key_of(store, name) for name in names[first : first + AT_ONCE]))
        found |= {each.id: each for each in part if each is not None}
    return found


def _arrival(
    record: Reservation,
    keys: Mapping[str, KeyRecord],
    doors: Mapping[str, Sequence[GrantRecord]],
    setup: HotelSetup,
    now: datetime,
) -> dict[str, Any]:
    stay = record.stay
    assert stay is not None  # noqa: S101 - only such stays are asked about
    mine = [keys[name] for name in record.credentials if name in keys]
    ready = min((_readiness(key, doors.get(key.id, ())) for key in mine), key=READINESS.index, default="none")
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
