"""Who tried which door, and what in that somebody should look at: newest first, with no secret in it."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId, credential_id
from shared.domain.instants import instant_to_text
from shared.ledger.anomaly import Anomaly, anomaly_from
from shared.ledger.attempt import Attempt, attempt_from
from shared.ledger.indexes import ANOMALIES, ANOMALIES_AT, AT_DOOR, AT_DOORS_OF, OF_KEY
from shared.ports.documents import Index, TenantDocuments
from shared.queries.hotels import Cell, label_of, properties


@dataclass(frozen=True, slots=True)
class AttemptsWanted:
    """Whose attempts: of a key, at a door, at a property, or all."""

    tenant: str | None = None
    property_id: str | None = None
    device: str | None = None
    key: str | None = None
    limit: int = 100

    @classmethod
    def of(cls, query: Mapping[str, str], limit: int) -> Self:
        """Read what is asked for."""
        tenant, hotel, device, key = (query.get(each) for each in ("tenant", "property", "door", "key"))
        if device is not None and key is not None:
            raise InvalidInput("key", "given beside a door", "Ask for the attempts of a key, or at a door")
        return cls(
            tenant,
            None if hotel is None else PropertyId.parse(hotel, "property"),
            None if device is None else LockDeviceId.parse(device, "door"),
            None if key is None else str(credential_id(key)),
            limit,
        )


async def last_attempts(cell: Cell, wanted: AttemptsWanted) -> dict[str, Any]:
    """Return the last attempts at doors, newest first."""
    shown = list[dict[str, Any]]()
    for store in await cell.known(wanted.tenant):
        async for index, equals in _asked(store, wanted):
            found = await store.query(index, equals, limit=wanted.limit + 1)
            shown += [await _attempt(store, attempt_from(each)) for each in found]
    shown.sort(key=lambda each: str(each["at"]), reverse=True)
    return {"attempts": shown[: wanted.limit], "more": len(shown) > wanted.limit}


async def last_anomalies(
    cell: Cell, tenant: str | None, limit: int, property_id: str | None = None
) -> dict[str, Any]:
    """Return what in the attempts at doors is odd, newest first, with the attempts that show it."""
    shown = list[dict[str, Any]]()
    place = {} if property_id is None else {"property_id": property_id}
    for store in await cell.known(tenant):
        found = await store.query(ANOMALIES_AT if place else ANOMALIES, place, limit=limit + 1)
        shown += [await _anomaly(store, anomaly_from(each)) for each in found]
    shown.sort(key=lambda each: str(each["at"]), reverse=True)
    return {"anomalies": shown[:limit], "more": len(shown) > limit}


async def _asked(
    store: TenantDocuments, wanted: AttemptsWanted
) -> AsyncIterator[tuple[Index, dict[str, str]]]:
    if wanted.key is not None:
        yield OF_KEY, {"of_key": wanted.key}
    elif wanted.device is not None:
        yield AT_DOOR, {"device_id": wanted.device}
    else:
        for hotel in [wanted.property_id] if wanted.property_id else await properties(store):
            yield AT_DOORS_OF, {"property_id": hotel}


async def _attempt(store: TenantDocuments, it: Attempt) -> dict[str, Any]:
    return {
        "attempt": str(it.id),
        "tenant": store.tenant,
        "property": it.property_id,
        "device": str(it.device_id),
        "label": await label_of(store, it.device_id),
        "vendor": it.vendor,
        "at": instant_to_text(it.at),
        "heard_at": instant_to_text(it.heard_at),
        "opened": it.opened,
        "means": it.means.value,
        "key": None if it.credential_id is None else str(it.credential_id),
        "staff": it.staff,
        "refused": it.refused,
        "alarm": it.alarm,
    }


async def _anomaly(store: TenantDocuments, it: Anomaly) -> dict[str, Any]:
    return {
        "anomaly": it.id,
        "kind": it.kind.value,
        "tenant": store.tenant,
        "property": it.property_id,
        "device": str(it.device_id),
        "label": await label_of(store, it.device_id),
        "at": instant_to_text(it.at),
        "said": it.said,
        "key": None if it.credential_id is None else str(it.credential_id),
        "attempts": list(map(str, it.facts)),
    }
