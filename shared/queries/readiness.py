"""Arrivals of the next three days, and how far each guest's key has come at each door: the readiness board.

| a grant shows | the door is |
|---|---|
| `used` | used |
| `on_lock`: its lock agreed, or was read back | on_lock |
| `accepted`: its vendor's cloud has it | accepted |
| anything else | missing |

An arrival is as ready as its worst door; what puts it at risk stands beside it, each with its door.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.device_health import Level
from shared.domain.grant_lifecycle import Placed, Placement
from shared.domain.instants import instant_to_text, milliseconds
from shared.domain.states import Failed, Revoked
from shared.ledger.device_record import DeviceRecord
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, grant_from
from shared.ledger.indexes import OF_CREDENTIAL, STAYS_AT
from shared.ledger.key_record import key_record_from, ref_of
from shared.ledger.reservation import Reservation, Status, reservation_from
from shared.ports.documents import TenantDocuments
from shared.queries.devices import record_of, state_of
from shared.queries.hotels import Cell, properties

AHEAD: Final = timedelta(hours=72)
ORDER: Final = ("missing", "accepted", "on_lock", "used")
WELL: Final = frozenset({"online", "never looked at"})
MOST_STAYS: Final = 1000


async def readiness(cell: Cell, tenant: str | None, now: datetime) -> dict[str, Any]:
    """Return the stays that arrive within three days or have arrived, the next first."""
    shown = list[dict[str, Any]]()
    for store in await cell.known(tenant):
        for hotel in await properties(store):
            equals, until = {"property_id": hotel}, milliseconds(now + AHEAD)
            page = await store.query(STAYS_AT, equals, until=until, limit=MOST_STAYS)
            while page:
                stays = [reservation_from(each) for each in page]
                shown += [await _arrival(store, each) for each in stays if _counts(each, now)]
                more = len(page) == MOST_STAYS
                page = (
                    await store.query(STAYS_AT, equals, until=until, after=page[-1], limit=MOST_STAYS)
                    if more
                    else ()
                )
    shown.sort(key=lambda each: str(each["arrives"]))
    return {"arrivals": shown}


def _counts(stay: Reservation, now: datetime) -> bool:
    return stay.status is Status.CONFIRMED and stay.stay is not None and now < stay.stay.end


async def _arrival(store: TenantDocuments, stay: Reservation) -> dict[str, Any]:
    assert stay.stay is not None  # noqa: S101 - only such count
    doors, risks = list[dict[str, Any]](), list[str]()
    for key in stay.credentials:
        for door in await _doors(store, str(key)):
            doors.append(door)
            risks += door["risks"]
    if not doors:
        risks.append("no key")
    level = min((ORDER.index(door["placement"]) for door in doors), default=0)
    return {
        "tenant": store.tenant,
        "property": stay.stay.property_id,
        "reservation": str(stay.id),
        "arrives": instant_to_text(stay.stay.start),
        "ready": ORDER[level],
        "risks": list(dict.fromkeys(risks)),
        "doors": doors,
    }


async def _doors(store: TenantDocuments, key: str) -> list[dict[str, Any]]:
    """Return how far a key that counts has come at each of its doors."""
    found = await store.get(ref_of(key))
    if found is None or isinstance(key_record_from(found).credential.state, Revoked | Failed):
        return []
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
        yield f"{device}: {state}"
    if record.condition.battery_level == Level.CRITICAL:
        yield f"{device}: the battery is nearly empty"
    if record.condition.skew_level > Level.GOOD:
        yield f"{device}: the clock is wrong"
