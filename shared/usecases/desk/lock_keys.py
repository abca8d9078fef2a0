"""What opens a property's locks to whoever speaks to them by radio: kept sealed, handed to its desks alone.

A lock gives its keys to whoever paired it, and to nobody else: the installer brings them here. One sealed
document holds those of a property; each of its desks gets them in its arrivals, sealed anew for its own key.
A desk that is stopped knows them on: its locks are named until each was paired anew (decision 0197).
"""

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId, TenantId, UserId
from shared.domain.instants import instant, instant_from_text, instant_to_text
from shared.domain.premises import LockDevice
from shared.domain.secret import Secret
from shared.keywork.services import retry_on_conflict
from shared.ledger.hotel_directory import HotelSetup
from shared.offline.radio_locks import RadioLock, sealed_for
from shared.ports.documents import Create, Document, Ref, Update
from shared.ports.vault import SealContext
from shared.usecases.desk.desks import DeskRecord, KnownDesk
from shared.usecases.desk.services import DeskServices

COLLECTION: Final = "desk_keys"
PURPOSE: Final = "desk-locks"
SIZES: Final[Mapping[str, int]] = {"aes": 16, "admin": 4, "unlock": 4}
SINCE: Final = "since"
_MAC: Final = re.compile(r"([0-9A-F]{2}:){5}[0-9A-F]{2}")
_HEX: Final = re.compile(r"([0-9a-f]{2})+")
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LockKeysOrder:
    """The keys of one lock, brought by whoever paired it; none take them away."""

    tenant: TenantId
    property_id: PropertyId
    lock: LockDeviceId
    by: UserId
    keys: Secret[bytes] | None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "LockKeysOrder":
        """Read the command; a complaint names a field and never its value."""
        told = body.get("keys")
        keys = None if told is None else Secret(json.dumps(_checked(told)).encode())
        tenant = TenantId.parse(body.get("tenant"), "tenant")
        property_id = PropertyId.parse(body.get("property"), "property")
        lock = LockDeviceId.parse(body.get("lock"), "lock")
        return cls(tenant, property_id, lock, UserId.parse(body.get("by"), "by"), keys)


async def keep_lock_keys(body: Mapping[str, Any], on: DeskServices) -> Json:
    """Keep the keys of a lock, and say of which locks of the property there are any."""
    order = LockKeysOrder.of(body)
    setup = await on.keys.hotels.premises(order.tenant, order.property_id)
    if order.lock not in {each.id for each in setup.devices}:
        raise InvalidInput("lock", "no lock of this property", "name one of keyfleet lock list")
    kept = await retry_on_conflict(lambda: _kept(order, on))
    on.keys.log.info("a lock's radio keys were kept", tenant=order.tenant, lock=order.lock, by=order.by)
    return {"locks": sorted(kept)}


async def radio_locks(
    desk: KnownDesk, setup: HotelSetup, doors: Mapping[LockDeviceId, str], on: DeskServices
) -> tuple[RadioLock, ...]:
    """Return the locks that a desk may speak to by radio, their keys sealed for it alone."""
    known = await _known(await _found(desk.tenant, desk.record.property_id, on), desk.tenant, on)
    locks = (each for each in setup.devices if each.id in known)
    return tuple(_radio_lock(each, doors[each.id], known[each.id], desk) for each in locks)


async def locks_left_with(record: DeskRecord, tenant: TenantId, on: DeskServices) -> list[str]:
    """Return the locks that a stopped desk has the keys of still: those that got no others since."""
    if record.stopped_at is None:
        return []
    known, stopped = await _known(await _found(tenant, record.property_id, on), tenant, on), record.stopped_at
    return sorted(lock for lock, keys in known.items() if _since(keys) <= stopped)


def _since(keys: Json) -> datetime:
    """Return since when we have a lock's keys; the beginning of time where nobody wrote it down."""
    told = keys.get(SINCE)
    return instant(0) if told is None else instant_from_text(told, SINCE)


def _radio_lock(lock: LockDevice, door: str, keys: Json, desk: KnownDesk) -> RadioLock:
    sealed = sealed_for(bytes(desk.record.public), Secret(json.dumps(_bare(keys)).encode()))
    return RadioLock(door=door, vendor=lock.vendor, vendor_device=lock.vendor_device, sealed=sealed)


async def _kept(order: LockKeysOrder, on: DeskServices) -> list[str]:
    found = await _found(order.tenant, order.property_id, on)
    known = await _known(found, order.tenant, on)
    before = known.pop(order.lock, None)
    if order.keys is not None:
        keys = json.loads(order.keys.reveal())
        brought_again = before is not None and _bare(before) == keys
        known[order.lock] = before if brought_again else {**keys, SINCE: instant_to_text(on.now)}
    ref = Ref(COLLECTION, f"{PURPOSE}.{order.property_id}")
    sealed = await on.cipher.seal(_context(order.tenant, ref), Secret(json.dumps(known).encode()))
    beside = {} if found is None else found.data
    data = {**beside, "schema_version": 1, "sealed": base64.b64encode(sealed).decode()}
    write = Create(ref, data) if found is None else Update(ref, data, found.version)
    await on.sealed.tenant(order.tenant).commit([write])
    return [*known]


async def _found(tenant: TenantId, property_id: PropertyId, on: DeskServices) -> Document | None:
    return await on.sealed.tenant(tenant).get(Ref(COLLECTION, f"{PURPOSE}.{property_id}"))


async def _known(found: Document | None, tenant: TenantId, on: DeskServices) -> Json:
    if found is None:
        return {}
    sealed = base64.b64decode(found.data["sealed"])
    known: Json = json.loads((await on.cipher.open(_context(tenant, found.ref), sealed)).reveal())
    return known


def _context(tenant: TenantId, ref: Ref) -> SealContext:
    return SealContext(PURPOSE, tenant, str(ref), "locks")


def _checked(told: object) -> Json:
    fields = told if isinstance(told, dict) else {}
    for name, size in SIZES.items():
        value = fields.get(name)
        if not isinstance(value, str) or not _HEX.fullmatch(value) or len(value) != 2 * size:
            raise InvalidInput(f"keys.{name}", f"not {size} bytes", "give them in lower-case hex digits")
    if not isinstance(fields.get("mac"), str) or not _MAC.fullmatch(fields["mac"]):
        raise InvalidInput("keys.mac", "not a Bluetooth address", "write it as AA:BB:CC:11:22:33")
    return _bare(fields)


def _bare(keys: Json) -> Json:
    """Return what opens a lock, without since when we have it."""
    return {name: keys[name] for name in ("mac", *SIZES)}
