"""Arrivals of the next three days, and how far each guest's key has come at each door: the readiness board.

| a grant shows | the door is |
|---|---|
| `used` | used |
| `on_lock`: its lock agreed, or was read back | on_lock |
| `accepted`: its vendor's cloud has it | accepted |
| anything else | missing |

An arrival is as ready as its worst door; what puts it at risk stands beside it, each with its door.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.core import Guest
from shared.domain.grant_lifecycle import Placement
from shared.domain.instants import instant_to_text
from shared.keywork.door_risks import placement_of, risks_at
from shared.ledger.device_record import DeviceRecord, kept_of
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, grant_from
from shared.ledger.indexes import KEYLESS, LIVE_AT, OF_CREDENTIAL
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.reservation import Reservation, reservation_from
from shared.ports.documents import TenantDocuments
from shared.queries.hotels import Cell, every, properties

AHEAD: Final = timedelta(hours=72)
ORDER: Final = ("missing", "accepted", "on_lock", "used")


async def readiness(cell: Cell, tenant: str | None, now: datetime) -> dict[str, Any]:
    """Return the stays that arrive within three days or have arrived, the next first."""
    shown = list[dict[str, Any]]()
    for store in await cell.known(tenant):
        for hotel in await properties(store):
            keys = defaultdict[str, list[KeyRecord]](list)
            async for found in every(store, LIVE_AT, {"property_id": hotel}):
                entry = key_record_from(found)
                holder = entry.credential.core.holder
                if isinstance(holder, Guest) and _soon(entry, now):
                    keys[str(holder.reservation_id)].append(entry)
            shown += [await _arrival(store, stay, of_stay) for stay, of_stay in keys.items()]
        shown += [_keyless(store, each) async for each in _stays_without(store, now)]
    shown.sort(key=lambda each: str(each["arrives"]))
    return {"arrivals": shown}


def _soon(entry: KeyRecord, now: datetime) -> bool:
    window = entry.credential.core.window
    return window.start <= now + AHEAD and now < window.end


async def _stays_without(store: TenantDocuments, now: datetime) -> AsyncIterator[Reservation]:
    async for found in every(store, KEYLESS, {}):
        stay = reservation_from(found)
        if stay.stay is not None and stay.stay.start <= now + AHEAD and now < stay.stay.end:
            yield stay


def _keyless(store: TenantDocuments, stay: Reservation) -> dict[str, Any]:
    assert stay.stay is not None  # noqa: S101 - only such are asked for
    return {
        "tenant": store.tenant,
        "property": stay.stay.property_id,
        "reservation": str(stay.id),
        "arrives": instant_to_text(stay.stay.start),
        "ready": ORDER[0],
        "risks": ["no key"],
        "doors": [],
    }


async def _arrival(store: TenantDocuments, stay: str, keys: Sequence[KeyRecord]) -> dict[str, Any]:
    doors = [door for key in keys for door in await _doors(store, str(key.id))]
    risks = [risk for door in doors for risk in door["risks"]] or ([] if doors else ["no key at a door yet"])
    level = min((ORDER.index(door["placement"]) for door in doors), default=0)
    core = min((key.credential.core for key in keys), key=lambda core: core.window.start)
    return {
        "tenant": store.tenant,
        "property": core.property_id,
        "reservation": stay,
        "arrives": instant_to_text(core.window.start),
        "ready": ORDER[level],
        "risks": list(dict.fromkeys(risks)),
        "doors": doors,
    }


async def _doors(store: TenantDocuments, key: str) -> list[dict[str, Any]]:
    """Return how far a key that counts has come at each of its doors."""
    grants = await store.query(OF_CREDENTIAL, {"credential_id": key}, limit=MOST_GRANTS)
    kept = [each for each in map(grant_from, grants) if not each.over]
    return [_door(key, each, await kept_of(store, each.grant.device_id)) for each in kept]


def _door(key: str, kept: GrantRecord, record: DeviceRecord | None) -> dict[str, Any]:
    placement = placement_of(kept)
    return {
        "key": key,
        "device": str(kept.grant.device_id),
        "placement": placement,
        "risks": list(_risks(kept, placement, record)),
    }


def _risks(kept: GrantRecord, placement: str, record: DeviceRecord | None) -> Iterator[str]:
    if placement == Placement.ACCEPTED:
        yield f"{kept.grant.device_id}: nobody has read the key back"
    yield from risks_at(kept, record)
