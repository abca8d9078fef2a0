"""Master keys as people may see them: who may open what, when, and how their credentials stand."""

from dataclasses import dataclass
from typing import Any

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId
from shared.domain.instants import instant_to_text
from shared.domain.lifecycle import name_of
from shared.domain.master_key import MasterKey, PerShift, Standing
from shared.ledger.indexes import MASTER_KEYS_AT, MASTER_KEYS_OF
from shared.ledger.key_record import key_record_from, ref_of
from shared.ledger.master_key_record import MasterKeyRecord, find_master_key, master_key_from
from shared.ports.documents import TenantDocuments
from shared.queries.hotels import Cell, every
from shared.queries.pages import Place, page_of

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


async def shown_staff(
    cell: Cell, tenant: str | None, staff: str | None, hotel: str | None, key: str | None
) -> dict[str, Any]:
    """Return the living master keys of a person, all that a property ever had, or one."""
    if (staff, hotel, key).count(None) != 2:
        raise InvalidInput("staff", "none named, or several things", "name a person, a property or a key")
    found = [
        (store, record)
        for store in await cell.known(tenant)
        for record in await _records(store, staff, hotel, key)
    ]
    return {"masterKeys": [await _shown(store, record) for store, record in found]}


async def master_keys_paged(
    store: TenantDocuments, property_id: str, place: Place
) -> tuple[list[dict[str, Any]], str | None]:
    """Return some of the master keys that a property ever had, the longest-lasting first, and a cursor."""
    page = await page_of(store, MASTER_KEYS_AT, {"of_property": property_id}, place)
    return [await _shown(store, master_key_from(each)) for each in page.documents], page.cursor


async def living_master_keys(store: TenantDocuments, staff: str) -> list[dict[str, Any]]:
    """Return the master keys of a person that are not over, at whichever property."""
    return [await _shown(store, each) for each in await _records(store, staff, None, None)]


@dataclass(frozen=True, slots=True)
class FoundMasterKey:
    """A master key that is there: where it is, in which state it was read, and what people may see of it."""

    property_id: PropertyId
    version: str
    told: dict[str, Any]


async def find_shown_master_key(store: TenantDocuments, key: str) -> FoundMasterKey | None:
    """Return a master key, or None."""
    record = await find_master_key(store, key)
    if record is None:
        return None
    told = await _shown(store, record)
    return FoundMasterKey(record.master_key.property_id, record.version or "", told)


async def _records(
    store: TenantDocuments, staff: str | None, hotel: str | None, key: str | None
) -> list[MasterKeyRecord]:
    if key is not None:
        known = await find_master_key(store, key)
        return [] if known is None else [known]
    if staff is not None:
        return [master_key_from(each) async for each in every(store, MASTER_KEYS_OF, {"of_staff": staff})]
    return [master_key_from(each) async for each in every(store, MASTER_KEYS_AT, {"of_property": hotel})]


async def _shown(store: TenantDocuments, record: MasterKeyRecord) -> dict[str, Any]:
    key = record.master_key
    return {
        "masterKey": key.id,
        "tenant": store.tenant,
        "property": key.property_id,
        "staff": key.staff,
        "state": key.state,
        "scopes": [str(scope) for scope in key.scopes],
        "regime": _regime(key),
        "from": instant_to_text(key.window.start),
        "until": instant_to_text(key.window.end),
        "zone": key.window.zone,
        "kind": key.kind,
        "by": str(record.by),
        "credentials": [await _credential(store, name) for name in key.credentials],
    }


async def _credential(store: TenantDocuments, name: str) -> dict[str, Any]:
    found = await store.get(ref_of(name))
    if found is None:
        return {"id": name, "state": "unknown", "from": None, "until": None, "rooms": []}
    entry = key_record_from(found)
    core = entry.credential.core
    return {
        "id": name,
        "state": name_of(type(entry.credential.state)),
        "from": instant_to_text(core.window.start),
        "until": instant_to_text(core.window.end),
        "rooms": list(core.rooms),
    }


def _regime(key: MasterKey) -> dict[str, Any]:
    regime = key.regime
    if isinstance(regime, PerShift):
        return {"kind": "per_shift", "shift": regime.shift_id}
    assert isinstance(regime, Standing)  # noqa: S101 - there are two
    week = () if regime.schedule is None else regime.schedule.shifts
    return {
        "kind": "standing",
        "week": [f"{_DAYS[each.weekday]} {each.start:%H:%M}-{each.end:%H:%M}" for each in week],
        "shifts": [duty.shift_id for duty in regime.duties],
    }
