"""Keys as people may see them: whose, where, how they stand at each lock; never what opens a door."""

from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass, replace
from heapq import merge
from typing import Any, Final

from shared.domain.core import Guest
from shared.domain.credential import KeyCredential
from shared.domain.errors import InvalidInput
from shared.domain.ids import ReservationId, minted_at
from shared.domain.instants import instant_to_text
from shared.domain.lifecycle import TABLE, name_of
from shared.domain.plan import Choice
from shared.domain.states import Active, Failed, IssuedKey, Revoked, Suspended
from shared.domain.window import StayWindow
from shared.ledger.indexes import KEYS_AT, KEYS_OF_STAY, LEAVING, WAITING
from shared.ledger.key_record import KeyRecord, key_record_from, ref_of
from shared.ledger.reservation import ref_of as stay_ref
from shared.ledger.reservation import reservation_from
from shared.ports.documents import Document, Index, TenantDocuments
from shared.queries.grants import moment, shown_grants
from shared.queries.hotels import Cell, Unknown, every, one_of, properties

RESIDUAL: Final = "residual"
"""No state of a key, but of what it left at a lock that would not let go."""
STATES: Final = (*(name_of(state) for state in TABLE), RESIDUAL)
MOST_LOOKED_AT: Final = 2000
"""Among so many of the newest keys those of one state are sought."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which keys are asked for; what is None does not matter. They may be residual, whatever their state."""

    tenant: str | None = None
    reservation: str | None = None
    property: str | None = None
    state: str | None = None
    key: str | None = None
    limit: int = 100

    @classmethod
    def of(cls, query: Mapping[str, str], limit: int) -> "Wanted":
        """Read a query, or refuse a state that there is not."""
        state = query.get("state")
        if state is not None and state not in STATES:
            raise InvalidInput("state", "no state of a key", f"name one of {', '.join(STATES)}")
        named = {name: query.get(name) for name in ("tenant", "reservation", "property", "key")}
        return cls(**named, state=state, limit=limit)

    def takes(self, record: KeyRecord) -> bool:
        """Say whether a key is among those asked for, but for what it left at locks."""
        core, stay = record.credential.core, self.reservation
        return (
            (stay is None or record.is_of(ReservationId(stay)))
            and self.property in (None, core.property_id)
            and self.state in (None, RESIDUAL, name_of(type(record.credential.state)))
        )


async def list_keys(cell: Cell, wanted: Wanted) -> dict[str, Any]:
    """Return the keys that are asked for, newest first within each tenant, and whether there are more."""
    shown: list[dict[str, Any]] = []
    for store in await cell.known(wanted.tenant):
        async for record in _found(store, wanted):
            if len(shown) == wanted.limit:
                return {"credentials": shown, "more": True}
            shown.append(await shown_key(store, record))
    if not shown:
        await _check_property(cell, wanted)
    return {"credentials": shown, "more": False}


async def keys_in_work(store: TenantDocuments, house: str, limit: int) -> list[dict[str, Any]]:
    """Return the keys of a hotel to which something is owed: to be made, changed, or taken from a lock."""
    waiting = [key_record_from(each) async for each in every(store, WAITING, {})]
    leaving = {
        each.data["credential_id"]
        async for each in every(store, LEAVING, {})
        if each.data["grant"]["property_id"] == house
    }
    named = sorted(leaving - {each.id for each in waiting})
    going = [key_record_from(each) async for each in _named(store, named)]
    owed = [each for each in (*waiting, *going) if each.credential.core.property_id == house and each.due]
    return [summary_of(each) for each in owed[:limit]]


async def keys_of_stay(store: TenantDocuments, reservation: str) -> list[KeyRecord]:
    """Return all keys a stay ever had, oldest first, and the one that it has in common with another."""
    found = [key_record_from(each) async for each in every(store, KEYS_OF_STAY, {"of_stay": reservation})]
    shared = await shared_keys(store, reservation, found)
    return sorted((*found, *shared), key=lambda each: minted_at(each.id))


async def shared_keys(
    store: TenantDocuments, reservation: str, own: Collection[KeyRecord]
) -> list[KeyRecord]:
    """Return the key that a stay names and its guest's other stay holds: one that has its own has none."""
    if any(not isinstance(key.credential.state, Revoked | Failed) for key in own):
        return []
    found = await store.get(stay_ref(reservation))
    stay = None if found is None else reservation_from(found)
    if stay is None or stay.turn is None:
        return []
    keys = [await key_of(store, name) for name in stay.credentials]
    return [key for key in keys if key is not None and _holder(key.credential)["reservation"] != stay.id]


async def key_of(store: TenantDocuments, key: str) -> KeyRecord | None:
    """Return one key, or None."""
    found = await store.get(ref_of(key))
    return None if found is None else key_record_from(found)


async def _found(store: TenantDocuments, wanted: Wanted) -> AsyncIterator[KeyRecord]:
    looked_at, own = 0, list[KeyRecord]()
    async for document in _documents(store, wanted):
        looked_at += 1
        record = key_record_from(document)
        own.append(record)
        if wanted.takes(record):
            yield record
        if wanted.state is not None and looked_at >= MOST_LOOKED_AT:
            return
    if wanted.reservation is not None and wanted.key is None and wanted.state != RESIDUAL:
        for record in await shared_keys(store, wanted.reservation, own):
            if replace(wanted, reservation=None).takes(record):
                yield record


def _documents(store: TenantDocuments, wanted: Wanted) -> AsyncIterator[Document]:
    """Choose the index that has least to pass over."""
    if wanted.key is not None:
        return _named(store, [wanted.key])
    if wanted.state == RESIDUAL:
        return _with_residues(store)
    if wanted.reservation is not None:
        return every(store, KEYS_OF_STAY, {"of_stay": wanted.reservation})
    if wanted.property is not None:
        return every(store, KEYS_AT, {"of_property": wanted.property})
    return _of_all_properties(store)


async def _of_all_properties(store: TenantDocuments) -> AsyncIterator[Document]:
    """Go through the keys of all properties, newest first: each property's are in that order."""
    houses = await properties(store)
    if len(houses) == 1:
        async for document in every(store, KEYS_AT, {"of_property": houses[0]}):
            yield document
        return
    newest = [await _newest(store, KEYS_AT, house) for house in houses]
    for document in merge(*newest, key=lambda each: (each.data["newest"], each.ref.id)):
        yield document


async def _newest(store: TenantDocuments, index: Index, house: str) -> list[Document]:
    found: list[Document] = []
    async for document in every(store, index, {"of_property": house}):
        found.append(document)
        if len(found) == MOST_LOOKED_AT:
            break
    return found


async def _with_residues(store: TenantDocuments) -> AsyncIterator[Document]:
    named: dict[str, None] = {}
    async for grant in every(store, LEAVING, {}):
        if grant.data["grant"]["state"]["type"] == RESIDUAL:
            named[grant.data["credential_id"]] = None
    async for document in _named(store, sorted(named, reverse=True)):
        yield document


async def _named(store: TenantDocuments, keys: list[str]) -> AsyncIterator[Document]:
    for key in keys:
        found = await store.get(ref_of(key))
        if found is not None:
            yield found


async def _check_property(cell: Cell, wanted: Wanted) -> None:
    """Raise Unknown where there is no key because there is no such property."""
    place = wanted.property
    if place is None:
        return
    known = [house for store in await cell.asked(wanted.tenant) for house in await properties(store)]
    if place not in known:
        raise Unknown(f"no property {place[:80]!r}: {one_of(known)}")


async def shown_key(store: TenantDocuments, record: KeyRecord) -> dict[str, Any]:
    """Return what people may see of a key, with its grants."""
    return {**summary_of(record), "grants": await shown_grants(store, record.id)}


def summary_of(record: KeyRecord) -> dict[str, Any]:
    """Return what people may see of a key, but for how it stands at each lock."""
    credential, saga = record.credential, record.saga
    core = credential.core
    return {
        "id": core.id,
        "tenant": core.tenant,
        "property": core.property_id,
        **whose(record),
        "rooms": list(core.rooms),
        **_made(credential),
        "state": name_of(type(credential.state)),
        "reason": getattr(credential.state, "reason", None),
        "becomes": _becomes(record),
        "waits": _waits(record),
        "saga": {name: getattr(saga, name) for name in ("kind", "generation", "execution", "tries")},
        "due_at": moment(record.due),
        "attempts": core.plan.attempts,
        "events": credential.sequence,
        "unannounced": credential.sequence - record.announced,
        "warnings": [warning.code for warning in core.warnings],
    }


def whose(record: KeyRecord) -> dict[str, Any]:
    """Return whose a key is, until when it opens, and which stay it is for next, if it outlasts a turn."""
    then, core = record.then, record.credential.core
    after = None if then is None else {"reservation": then.reservation, "window": shown_window(then.window)}
    return {
        **_holder(record.credential),
        "window": shown_window(core.window),
        "then": after,
    }


def _becomes(record: KeyRecord) -> dict[str, Any] | None:
    """Return what a key is on its way to; what it is, stands at its locks until they have followed."""
    target = record.amends
    return None if target is None else {"rooms": list(target.rooms), "window": shown_window(target.window)}


def _waits(record: KeyRecord) -> dict[str, str] | None:
    """Return until when no vendor is asked for a key, and why; None if it waits for nothing."""
    waits = record.waits
    return (
        {"until": instant_to_text(waits.until), "because": waits.because}
        if waits is not None and record.to_be_made
        else None
    )


def _holder(credential: KeyCredential) -> dict[str, str | None]:
    holder = credential.core.holder
    if isinstance(holder, Guest):
        return {"reservation": holder.reservation_id, "staff": None}
    return {"reservation": None, "staff": holder.user_id}


def _made(credential: KeyCredential) -> dict[str, Any]:
    key = issued(credential)
    made = _tried(credential) if key is None else key
    effective = None if key is None else shown_window(key.effective)
    return {"vendor": made.vendor, "kind": made.kind, "effective": effective}


def _tried(credential: KeyCredential) -> Choice:
    # One that failed shows what was tried last, and not what was left to try.
    plan = credential.core.plan
    return plan.made[-1].choice if isinstance(credential.state, Failed) and plan.made else plan.current


def issued(credential: KeyCredential) -> IssuedKey | None:
    """Return the key that a vendor confirmed, if one did."""
    state = credential.state
    return state.key if isinstance(state, Active | Suspended | Revoked) else None


def shown_window(window: StayWindow) -> dict[str, str]:
    """Return from when until when, and by which clock on the wall."""
    return {"from": instant_to_text(window.start), "until": instant_to_text(window.end), "zone": window.zone}
