"""Why a door refused: who is meant, by a stay or by a room, and all that is known of each at each door."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.ids import LockDeviceId, TenantId
from shared.domain.premises import LockDevice
from shared.ledger.comparison import Comparison, comparison_from
from shared.ledger.comparison import ref_of as comparison_at
from shared.ledger.device_record import kept_of
from shared.ledger.finding import finding_from
from shared.ledger.grant_record import GrantRecord, grant_from
from shared.ledger.hotel_directory import HotelSetup, setup_of
from shared.ledger.indexes import AT_DEVICE, FOUND_AT
from shared.ledger.premises import premises_of
from shared.ledger.reservation import Reservation, ref_of, reservation_from
from shared.ports.documents import TenantDocuments
from shared.queries.door_refusal import Refusal, causes
from shared.queries.grants import at_or_none, grants_of
from shared.queries.hotels import Cell, Unknown, every, properties
from shared.queries.keys import key_of

AROUND: Final = timedelta(hours=24)
"""Who comes within a day, or left within one, may be the one at the door."""
LATELY: Final = timedelta(hours=1)
Letters = Mapping[str, Sequence[str]]
"""Why messages about a stay were set aside, by the stay."""


@dataclass(frozen=True, slots=True)
class AtDoor:
    """A door, and the hotel it is in."""

    setup: HotelSetup
    door: LockDevice


Ask = Callable[[TenantId, AtDoor], Awaitable[bool]]
"""Has a lock asked now, and says whether it answered."""


async def why_refused(
    store: TenantDocuments, at: AtDoor, reservation: str, letters: Sequence[str], now: datetime
) -> dict[str, Any]:
    """Return why a door refused the guest of a stay, and when the lock was compared and looked at last."""
    found = await store.get(ref_of(reservation))
    stay = None if found is None else reservation_from(found)
    named = () if stay is None else stay.credentials
    keys = [key for name in named if (key := await key_of(store, name)) is not None]
    grants = [kept for key in keys for kept in await grants_of(store, key.id)]
    findings = [finding_from(each) async for each in every(store, FOUND_AT, {"at_lock": str(at.door.id)})]
    health = await kept_of(store, str(at.door.id))
    last = await _compared(store, at)
    case = Refusal(
        now=now,
        door=at.door,
        setup=at.setup,
        stay=stay,
        letters=letters,
        keys=keys,
        grants=grants,
        findings=findings,
        health=health,
        gone_lately=0 if last is None else _gone_lately(last, at, now),
    )
    return {
        "reservation": reservation,
        "device": at.door.id,
        "label": at.door.label,
        "property": at.setup.property.id,
        "compared_at": None if last is None else at_or_none(last.of_lock_at(at.door.id)),
        "looked_at": None if health is None else at_or_none(health.condition.looked_at),
        "causes": causes(case),
    }


async def _compared(store: TenantDocuments, at: AtDoor) -> Comparison | None:
    found = await store.get(comparison_at(at.setup.property.id, at.door.vendor))
    return None if found is None else comparison_from(found)


def _gone_lately(last: Comparison, at: AtDoor, now: datetime) -> int:
    return last.gone if last.only == at.door.id and now < last.moved_at + LATELY else 0


async def why(
    cell: Cell, what: str, tenant: str | None, letters: Letters, now: datetime, ask: Ask | None = None
) -> dict[str, Any]:
    """Return why doors refuse: those of a stay's rooms its guest, or that of a room whoever is there now.

    With `ask` each of their locks is asked first, and it is said of each whether it answered.
    """
    told, called = list[dict[str, Any]](), False
    for store in await cell.known(tenant):
        setups = [setup_of(await premises_of(store, each)) for each in await properties(store)]
        meant = await _meant(store, setups, what, letters, now)
        fresh = {} if ask is None else await _asked(store, [at for at, _ in meant], ask)
        for at, stay in meant:
            known = await why_refused(store, at, stay, letters.get(stay, ()), now)
            told.append({**known, "asked_now": fresh.get(at.door.id)})
        called = called or any(_is_called(door, what) for setup in setups for door in setup.devices)
    if called and not told:
        raise Unknown(
            f"nobody has a key to {what[:80]!r} now or soon: name a stay that should, such as rsv_1"
        )
    if not told:
        raise Unknown(
            f"no stay and no room {what[:80]!r}: name a stay, such as rsv_1, or a room of keyfleet devices"
        )
    return {"about": what, "refusals": told}


async def _asked(store: TenantDocuments, doors: Sequence[AtDoor], ask: Ask) -> dict[LockDeviceId, bool]:
    """Ask each lock once, one after another: a comparison of a property takes the place of the one before."""
    fresh = dict[LockDeviceId, bool]()
    for at in doors:
        if at.door.id not in fresh:
            fresh[at.door.id] = await ask(store.tenant, at)
    return fresh


async def _meant(
    store: TenantDocuments, setups: Sequence[HotelSetup], what: str, letters: Letters, now: datetime
) -> list[tuple[AtDoor, str]]:
    if what.startswith("rsv_"):
        found = await store.get(ref_of(what))
        if found is None and what not in letters:
            return []
        stay = None if found is None else reservation_from(found)
        return [(at, what) for at in _doors_of(stay, setups)]
    doors = [AtDoor(setup, door) for setup in setups for door in setup.devices if _is_called(door, what)]
    return [(at, stay) for at in doors for stay in await _who_may_be_there(store, at.door, now)]


def _doors_of(stay: Reservation | None, setups: Sequence[HotelSetup]) -> list[AtDoor]:
    booked = None if stay is None else stay.stay
    if booked is None:
        return [AtDoor(setup, setup.devices[0]) for setup in setups[:1] if setup.devices]
    here = [each for each in setups if each.property.id == booked.property_id]
    return [AtDoor(setup, door) for setup in here for door in setup.doors(booked.rooms, booked.scope)]


def _is_called(door: LockDevice, what: str) -> bool:
    names = {door.id, door.label.lower(), *(door.rooms if len(door.rooms) == 1 else ())}
    return what in names or f"rmu_{what}" in names or what.lower() in door.label.lower().split()


async def _who_may_be_there(store: TenantDocuments, door: LockDevice, now: datetime) -> list[str]:
    grants = [grant_from(each) async for each in every(store, AT_DEVICE, {"device_id": str(door.id)})]
    keys = [await key_of(store, kept.grant.credential_id) for kept in _near(grants, now)]
    stays = (each.stay_at(now) for each in keys if each)
    return sorted({str(each) for each in stays if each is not None})


def _near(grants: Iterable[GrantRecord], now: datetime) -> list[GrantRecord]:
    return [kept for kept in grants if kept.since - AROUND <= now < kept.until + AROUND]
