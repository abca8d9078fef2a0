"""One look at a property's locks of one vendor: which are there, how they are, and what of that is told.

1. The vendor's list is asked for; where there is none, nothing is concluded from that.
2. More than a fifth of the known locks gone is not believed: an alarm, and nothing else of that list counts.
3. Each lock: new ones are registered; a known one is held against how it was, and each crossing is told once,
   in one commit with its new condition and what it can do. Another lock under a known name is quarantined,
   with an alarm: its premises say so in the same commit, and no key goes there until it is proven there.
4. The clocks of those asked longest ago are asked, a few at a time: each takes its gateway's time. One that
   would not answer is told of when its door is asked about; it may be named, and is asked at once then.
5. Of locks taken out of use, the account must have changed within a day, or somebody is called.

A lock is never taken out of the premises by a list: only by a person's word. Decision 0107.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.device_health import Condition, Level, Looked, Measure, looked_at
from shared.domain.lock_errors import LockError
from shared.domain.premises import LockDevice
from shared.events.wire import Published
from shared.keywork.services import Services
from shared.keywork.vendor_session import VendorSessions
from shared.ledger.device_record import DeviceRecord, device_record_from
from shared.ledger.hearing import hearing_of
from shared.ledger.indexes import DEVICES_AT
from shared.ledger.premises import change_hotel
from shared.ledger.site import site_of
from shared.ports.documents import AlreadyExists, StaleVersion, TenantDocuments, Write
from shared.ports.lock import ListedDevice
from shared.streams.telling import row_write
from shared.usecases.attempts.begin_hearing import HearDoors
from shared.usecases.devices.lock_round import Round, ask_clocks
from shared.usecases.devices.out_of_use import ALARMED_EVERY, watch_leaving
from shared.usecases.devices.tell_health import page_clock, registered, rows_of, tell_rows, told

MOST_LOCKS: Final = 1000
MOST_GONE: Final = 0.2
OVER: Final = {"outcome": "done", "after_seconds": 0}


async def look_at_locks(command: HearDoors, services: Services, desks: VendorSessions) -> dict[str, Any]:
    """Look once."""
    await look(command, services, desks)
    return dict(OVER)


async def look(command: HearDoors, services: Services, desks: VendorSessions) -> bool:
    """Look once; return whether the vendor's list was seen, be it believed or not."""
    store = (await services.ledger(command.tenant)).documents
    try:
        desk = await desks.at(command.tenant, command.property_id)
        found = await desk.port.list_devices(command.property_id)
    except LockError as error:
        services.log.warning(
            "locks could not be looked at", property=command.property_id, cause=error.cause.kind
        )
        return False
    known = await records_at(command, store)
    await watch_leaving(list(known.values()), desk, store, services)
    listed = {str(each.device_id): each for each in found}
    round_ = Round(desk, known, listed, store, services, {}, command.lock)
    if gone := _gone(round_):
        await _brake(gone, command, round_)
        return True
    await ask_clocks(round_)
    for device in round_.doors:
        await _look(device, round_)
    return True


async def records_at(command: HearDoors, store: TenantDocuments) -> dict[str, DeviceRecord]:
    """Return what is kept of a property's locks of one vendor."""
    site = site_of(command.property_id, command.vendor)
    found = await store.query(DEVICES_AT, {"site": site}, limit=MOST_LOCKS)
    return {each.ref.id: device_record_from(each) for each in found}


def _gone(round_: Round) -> str:
    """Say how many locks are gone, if they are so many that a cut list is likelier."""
    mapped = {str(device.id) for device in round_.desk.binding.devices}
    known = [record for name, record in round_.known.items() if name in mapped]
    gone = [record for record in known if str(record.id) not in round_.listed]
    if not gone or len(gone) <= MOST_GONE * len(known):
        return ""
    return f"{len(gone)} of {len(known)} locks are not in the vendor's list"


async def _brake(gone: str, command: HearDoors, round_: Round) -> None:
    """Call somebody, once a day; of such a list nothing is kept."""
    now = round_.services.now
    hearing = await hearing_of(site_of(command.property_id, command.vendor), round_.store)
    if hearing.braked_at is not None and now < hearing.braked_at + ALARMED_EVERY:
        return
    round_.services.log.alert(
        "so many locks are missing that nobody believes it",
        runbook="lock/devices",
        property=command.property_id,
        vendor=command.vendor,
        because=gone,
        remedy="Compare the vendor's own app; nothing was changed",
    )
    with contextlib.suppress(AlreadyExists, StaleVersion):
        await replace(hearing, braked_at=now).saved(round_.store)


async def _look(device: LockDevice, round_: Round) -> None:
    """Hold a lock against how it was, and keep and tell what is new."""
    name, services = str(device.id), round_.services
    listed, known = round_.listed.get(name), round_.known.get(name)
    looked = _looked(device, round_)
    if known is None and listed is None:
        return  # its vendor does not know it yet: it joins when it does
    fresh = known is None
    record = known or _new(device, listed, round_)
    condition, crossings = looked_at(record.condition, looked)
    record = replace(record, condition=condition, **_presence(record, listed, services.now))
    payloads = list[Published]()
    if fresh:
        payloads.append(registered(record, device, condition.firmware))
    for crossing in crossings:
        payloads += told(record, crossing, looked)
        if crossing.measure is Measure.CLOCK and crossing.level is Level.CRITICAL:
            page_clock(record, looked, services)
    if record.swapped_at is not None and (known is None or known.swapped_at is None):
        _quarantined(record, services)
    asked = round_.named is not None
    if asked or payloads or _changed(record, known) or _quarantines(record, round_):
        await _saved(record, payloads, looked, round_)


def _looked(device: LockDevice, round_: Round) -> Looked:
    name, now = str(device.id), round_.services.now
    listed, health = round_.listed.get(name), round_.healths.get(name)
    known = round_.known.get(name)
    battery = (health and health.battery) or (listed and listed.battery) or None
    seen = listed.last_seen_at if listed else (known.condition.last_seen_at if known else None)
    return Looked(
        at=now,
        online=bool(listed and listed.online),
        last_seen_at=min(seen or now, now),
        battery=battery.percent if battery else None,
        battery_low_at=battery.low_threshold_percent if battery else None,
        skew_ms=health.clock_skew_ms if health else None,
        firmware=(health and health.firmware) or (listed and listed.firmware) or None,
        oldest_firmware=round_.desk.port.describe_adapter().oldest_firmware,
        asked=name in round_.healths or name in round_.refusals,
        refusal=round_.refusals.get(name),
    )


def _new(device: LockDevice, listed: ListedDevice | None, round_: Round) -> DeviceRecord:
    now = round_.services.now
    return DeviceRecord(
        id=device.id,
        tenant=round_.desk.binding.tenant,
        property_id=device.property_id,
        vendor=device.vendor,
        vendor_device=device.vendor_device,
        registered_at=now,
        hardware=listed.hardware if listed else None,
        sequence=0,
    )


def _presence(record: DeviceRecord, listed: ListedDevice | None, now: datetime) -> dict[str, Any]:
    """Return whether a lock is in its vendor's list, whether it is the same one, and what it can do."""
    missing = None if listed else record.missing_since or now
    told = listed.hardware if listed else None
    swapped = record.swapped_at
    if told is not None and record.hardware is not None and told != record.hardware:
        swapped = swapped or now
    able = listed.capabilities if listed else record.able
    return {
        "missing_since": missing,
        "hardware": record.hardware or told,
        "swapped_at": swapped,
        "able": able,
    }


def _changed(record: DeviceRecord, known: DeviceRecord | None) -> bool:
    """Say whether there is anything to keep: that it was looked at once more is kept once in six hours."""
    if known is None:
        return True
    plain = Condition(looked_at=None, last_seen_at=None)
    same = replace(record.condition, looked_at=plain.looked_at, last_seen_at=plain.last_seen_at) == replace(
        known.condition, looked_at=plain.looked_at, last_seen_at=plain.last_seen_at
    )
    last = known.condition.looked_at
    stale = last is None or (record.condition.looked_at or last) >= last + timedelta(hours=6)
    return stale or not same or _presence_of(record) != _presence_of(known)


def _presence_of(record: DeviceRecord) -> tuple[object, ...]:
    return record.missing_since, record.swapped_at, record.hardware, record.able


async def _saved(record: DeviceRecord, payloads: Sequence[Published], looked: Looked, round_: Round) -> None:
    rows = rows_of(record, payloads, looked, round_.services.ids)
    kept = record.happened(len(rows), round_.services.now)
    writes: list[Write] = [kept.write(), *map(row_write, rows)]
    try:
        if _quarantines(kept, round_):
            version = (await change_hotel(round_.store, kept.property_id, writes))[0]
            round_.services.hotels.forget(kept.tenant)
        else:
            version = (await round_.store.commit(writes))[0]
    except (AlreadyExists, StaleVersion):
        return  # somebody else looked, and told
    await tell_rows(kept, version, rows, round_.store, round_.services)


def _quarantines(record: DeviceRecord, round_: Round) -> bool:
    """Say whether no key is to go to a lock from now on, and its hotel does not know that yet."""
    return record.swapped_at is not None and str(record.id) not in round_.desk.premises.quarantined


def _quarantined(record: DeviceRecord, services: Services) -> None:
    services.log.alert(
        "another lock answers under a door's name",
        runbook="lock/devices",
        deviceId=record.id,
        property=record.property_id,
        because="the vendor lists other hardware under the same number",
        remedy="Prove the mapping at the door: keyfleet challenge",
    )
