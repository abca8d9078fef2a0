"""Arrivals from today to three days ahead, and what puts them at risk at each door: the readiness board.

How ready a stay is, `coming.py` tells; here its doors stand beside it, each with its lock's own troubles.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
| a grant shows | the door is |
|---|---|
| `used` | used |
| `on_lock`: its lock agreed, or was read back | on_lock |
| `accepted`: its vendor's cloud has it | accepted |
| anything else | missing |

An arrival is as ready as its worst door; what puts it at risk stands beside it, each with its door. A stay
whose keys all failed or ended is on the board too: nobody needs it more.
"""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.device_health import Level
from shared.domain.grant_lifecycle import Placement
from shared.domain.instants import instant_to_text
from shared.domain.states import Failed
from shared.ledger.device_record import DeviceRecord
from shared.ledger.grant_record import GrantRecord
from shared.ports.documents import TenantDocuments
from shared.queries.coming import Coming, Span, at_door, coming
from shared.queries.devices import record_of, state_of
from shared.queries.hotels import Cell, properties, zones

AHEAD: Final = timedelta(hours=72)
UTC: Final = "Etc/UTC"
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, grant_from
from shared.ledger.indexes import KEYLESS, LIVE_AT, OF_CREDENTIAL, STAYS_AT
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.reservation import Reservation, Status, reservation_from
from shared.ports.documents import TenantDocuments
from shared.queries.arrivals import Day, within
from shared.queries.devices import record_of, state_of
from shared.queries.hotels import Cell, every, properties
from shared.queries.keys import key_of

AHEAD: Final = timedelta(hours=72)
LOOKED_BACK: Final = timedelta(days=14)
"""A guest who came longer ago, and whose key failed only now, is named by `keyfleet status`."""
ORDER: Final = ("missing", "accepted", "on_lock", "used")
WELL: Final = frozenset({"online", "never looked at"})
_SAID: Final = {
    "waiting": "no key at the door yet",
    "resting": "the key rests",
    Placement.ACCEPTED.value: "nobody has read the key back",
}


async def readiness(cell: Cell, tenant: str | None, now: datetime) -> dict[str, Any]:
    """Return the stays that arrive from today to three days ahead and are not over, the next first."""
    shown = list[dict[str, Any]]()
    for store in await cell.known(tenant):
        walls, board = await zones(store), _Board(store)
        for house in await properties(store):
            span = Span(Span.today(now, walls.get(house, UTC)).begins, now + AHEAD)
            found = [each for each in await coming(store, house, span) if now < each.stay.end]
            shown += [await board.arrival(each) for each in found]
        for hotel in await properties(store):
            keys = defaultdict[str, list[KeyRecord]](list)
            async for found in every(store, LIVE_AT, {"property_id": hotel}):
                entry = key_record_from(found)
                holder = entry.credential.core.holder
                if isinstance(holder, Guest) and _soon(entry, now):
                    keys[str(holder.reservation_id)].append(entry)
            shown += [await _arrival(store, stay, of_stay) for stay, of_stay in keys.items()]
            shown += [await _keyless(store, each) for each in await _without(store, hotel, keys, now)]
    shown.sort(key=lambda each: str(each["arrives"]))
    return {"arrivals": shown}


@dataclass(slots=True)
class _Board:
    """What is shown of one tenant, each lock read once."""

    store: TenantDocuments
    _locks: dict[str, DeviceRecord | None] = field(default_factory=dict)

    async def arrival(self, comes: Coming) -> dict[str, Any]:
        doors = [await self._door(key.id, kept) for key in comes.keys for kept in comes.wanted(key)]
        risks = [risk for door in doors for risk in door["risks"]]
        none = "no key at a door yet" if comes.keys else "no key"
        return {
            "tenant": self.store.tenant,
            "property": comes.stay.property_id,
            "reservation": comes.record.id,
            "arrives": instant_to_text(comes.stay.start),
            "ready": comes.readiness,
            "risks": list(dict.fromkeys(risks)) or ([] if doors else [none]),
            "doors": doors,
        }

    async def _door(self, key: str, kept: GrantRecord) -> dict[str, Any]:
        device = kept.grant.device_id
        if device not in self._locks:
            self._locks[device] = await record_of(self.store, device)
        placement = at_door(kept)
        risks = [f"{device}: {said}" for said in _risks(placement, self._locks[device])]
        return {"key": key, "device": str(device), "placement": placement, "risks": risks}


def _risks(placement: str, record: DeviceRecord | None) -> Iterator[str]:
    if placement in _SAID:
        yield _SAID[placement]
async def _without(
    store: TenantDocuments, hotel: str, living: Container[str], now: datetime
) -> list[Reservation]:
    """Return a property's confirmed stays that no living key belongs to; of who came, the last."""
    named = await within(store, STAYS_AT, {"property_id": hotel}, Day(now - LOOKED_BACK, now + AHEAD))
    nameless = [each async for each in every(store, KEYLESS, {})]
    stays = {each.id: each for each in map(reservation_from, [*named, *nameless])}
    return [each for each in stays.values() if each.id not in living and _wanted(each, hotel, now)]


def _wanted(stay: Reservation, hotel: str, now: datetime) -> bool:
    if stay.stay is None or stay.status is not Status.CONFIRMED or stay.stay.property_id != hotel:
        return False
    return stay.stay.start <= now + AHEAD and now < stay.stay.end


async def _keyless(store: TenantDocuments, stay: Reservation) -> dict[str, Any]:
    assert stay.stay is not None  # noqa: S101 - only such are asked for
    keys = [await key_of(store, name) for name in stay.credentials]
    failed = [key.credential.state for key in keys if key and isinstance(key.credential.state, Failed)]
    return {
        "tenant": store.tenant,
        "property": stay.stay.property_id,
        "reservation": str(stay.id),
        "arrives": instant_to_text(stay.stay.start),
        "ready": ORDER[0],
        "risks": list(dict.fromkeys(f"the key failed: {each.reason}" for each in failed)) or ["no key"],
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
    return [_door(key, each, await record_of(store, each.grant.device_id)) for each in kept]


def _door(key: str, kept: GrantRecord, record: DeviceRecord | None) -> dict[str, Any]:
    placement = _placement(kept)
    return {
        "key": key,
        "device": str(kept.grant.device_id),
        "placement": placement,
        "risks": list(_risks(kept, placement, record)),
    }


def _placement(kept: GrantRecord) -> str:
    state = kept.grant.state
    return state.placement.value if isinstance(state, Placed) else ORDER[0]


def _risks(kept: GrantRecord, placement: str, record: DeviceRecord | None) -> Iterator[str]:
    device = kept.grant.device_id
    if placement == ORDER[0]:
        yield f"{device}: no key at the door yet"
    if placement == Placement.ACCEPTED:
        yield f"{device}: nobody has read the key back"
    if record is None:
        return
    if (state := state_of(record)) not in WELL:
        yield state
    if record.condition.battery_level == Level.CRITICAL:
        yield "the battery is nearly empty"
    if record.condition.skew_level > Level.GOOD:
        yield "the clock is wrong"
