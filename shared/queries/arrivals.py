"""Who arrives on a day, and whether their keys will open: asked of the store once, however large the hotel.

| asked | once | of |
|---|---|---|
| the day's stays | a query | the index of a property's stays by arrival |
| the day's keys at their locks | a query | the index of a property's grants by beginning |
| each stay's keys | reads by id | |

| readiness, the least of a stay's doors | is |
|---|---|
| `none`, `failed` | nobody will get in: somebody must act |
| `waiting` | no vendor has confirmed the key yet |
| `resting` | something holds the stay |
| `accepted` | the vendor has it; the lock may not have heard |
| `on_lock`, `used` | the lock has it; it has opened |
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from shared.domain.grant_lifecycle import Intended, Placed, Resting
from shared.domain.instants import instant_to_text, milliseconds
from shared.domain.kinds import KeyCredentialKind as Kind
from shared.domain.lifecycle import name_of
from shared.domain.states import Active, Failed, Suspended
from shared.ledger.grant_record import GrantRecord, Wish, grant_from
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.indexes import COMING, STAYS_AT
from shared.ledger.key_record import KeyRecord
from shared.ledger.reading import from_value
from shared.ledger.reservation import Reservation, Status, reservation_from
from shared.ports.document_limits import MOST_RESULTS
from shared.ports.documents import Document, Index, TenantDocuments
from shared.queries.keys import key_of

READINESS: Final = ("none", "failed", "waiting", "resting", "accepted", "on_lock", "used")
"""From the worst to the best."""
READY: Final = frozenset({"accepted", "on_lock", "used"})
AT_RISK_WITHIN: Final = timedelta(hours=24)
LADDER: Final = (Kind.MOBILE_APP, Kind.PIN_CODE, Kind.RFID_CARD)
ESCORT: Final = "escort"
"""The last rung: somebody goes along and opens."""
AT_ONCE: Final = 50


@dataclass(frozen=True, slots=True)
class Day:
    """One day of a hotel, from midnight to midnight by the clock on its wall."""

    begins: datetime
    ends: datetime

    @classmethod
    def of(cls, day: date, zone: str) -> "Day":
        """Return a day at a place; those of a change of clocks are longer or shorter."""
        wall = ZoneInfo(zone)
        first = datetime(day.year, day.month, day.day, tzinfo=wall)
        following = day + timedelta(days=1)
        last = datetime(following.year, following.month, following.day, tzinfo=wall)
        return cls(first, last)


async def arrivals(
    store: TenantDocuments, setup: HotelSetup, day: Day, now: datetime
) -> list[dict[str, Any]]:
    """Return the confirmed stays that begin on a day, in the order of their arrival, with their readiness."""
    place = {"property_id": setup.property.id}
    stays = [reservation_from(each) for each in await _within(store, STAYS_AT, place, day)]
    grants = await _within(store, COMING, {"grant.property_id": setup.property.id}, day)
    doors = defaultdict[str, list[GrantRecord]](list)
    for each in map(grant_from, grants):
        doors[each.grant.credential_id].append(each)
    coming = [each for each in stays if each.status is Status.CONFIRMED and each.stay is not None]
    keys = await _keys(store, coming)
    return [_arrival(each, keys, doors, setup, now) for each in coming]


async def _within(
    store: TenantDocuments, index: Index, equals: Mapping[str, Any], day: Day
) -> list[Document]:
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
        "keys": [_key(key, doors.get(key.id, ())) for key in mine],
        "at_risk": at_risk,
        "next_rung": next_rung(mine, stay.rooms, setup) if at_risk else None,
    }


def _key(key: KeyRecord, doors: Sequence[GrantRecord]) -> dict[str, Any]:
    state = name_of(type(key.credential.state))
    return {"id": key.id, "state": state, "kind": _kind(key), "readiness": _readiness(key, doors)}


def _kind(key: KeyRecord) -> str:
    return key.credential.core.plan.current.kind.value


def _readiness(key: KeyRecord, doors: Sequence[GrantRecord]) -> str:
    """Return how ready one key is: as its state says, or as the door that knows least of it."""
    state = key.credential.state
    if isinstance(state, Failed):
        return "failed"
    if isinstance(state, Suspended):
        return "resting"
    if not isinstance(state, Active):
        return "waiting" if key.to_be_made else "none"
    wanted = [_at_door(kept) for kept in doors if kept.wish in (Wish.OPEN, Wish.REST) and kept.wanted]
    return min(wanted, key=READINESS.index, default="accepted")


def _at_door(kept: GrantRecord) -> str:
    match kept.grant.state:
        case Placed(placement=placement):
            return placement.value
        case Resting():
            return "resting"
        case Intended() | _:
            return "waiting"


def next_rung(keys: Sequence[KeyRecord], rooms: Sequence[Any], setup: HotelSetup) -> str:
    """Return what to try next for a guest: the next kind that every door of the stay knows, or an escort."""
    tried = {choice.kind for key in keys for choice in (key.credential.core.plan.current,)}
    doors = setup.doors(rooms)
    for kind in LADDER:
        if kind not in tried and doors and all(door.capabilities.supports(kind) for door in doors):
            return kind.value
    return ESCORT
