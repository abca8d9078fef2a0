"""What a desk read of a lock by radio becomes its condition, and each crossing an event, as after any look.

1. A lock that was never looked at is not told of: it joins with the first look, and is read again.
2. What is older than what is known changes nothing, so the same reading told twice tells nothing twice.
3. The new condition and its events are one commit; whoever else looked meanwhile is read anew.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from shared.domain.device_health import Crossing, Level, Looked, Measure, read_near
from shared.domain.premises import LockDevice
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.device_record import DeviceRecord, kept_of
from shared.ports.documents import TenantDocuments
from shared.streams.telling import row_write
from shared.usecases.devices.tell_health import page_clock, rows_of, tell_rows, told
from shared.vendor_kit.health import LOW_BATTERY


@dataclass(frozen=True, slots=True)
class LockReading:
    """A lock's battery, and how far its clock was off: None where it did not tell."""

    at: datetime
    battery: int | None
    skew_ms: int | None
    clock_set: bool


async def hear_reading(
    lock: LockDevice, reading: LockReading, store: TenantDocuments, services: Services
) -> bool:
    """Keep what was read of a lock, and tell what is worth telling; return whether the lock is known."""
    return await retry_on_conflict(lambda: _heard(lock, reading, store, services))


async def _heard(lock: LockDevice, reading: LockReading, store: TenantDocuments, services: Services) -> bool:
    record = await kept_of(store, lock.id)
    if record is None:
        return False
    looked = _looked(record, reading)
    condition, crossings = read_near(record.condition, looked, clock_set=reading.clock_set)
    if condition != record.condition:
        await _kept(replace(record, condition=condition), crossings, looked, store, services)
    return True


def _looked(record: DeviceRecord, reading: LockReading) -> Looked:
    return Looked(
        at=reading.at,
        online=not record.condition.offline,
        last_seen_at=record.condition.last_seen_at or reading.at,
        battery=reading.battery,
        battery_low_at=LOW_BATTERY,
        skew_ms=reading.skew_ms,
    )


async def _kept(
    record: DeviceRecord,
    crossings: tuple[Crossing, ...],
    looked: Looked,
    store: TenantDocuments,
    services: Services,
) -> None:
    payloads = [each for crossing in crossings for each in told(record, crossing, looked)]
    rows = rows_of(record, payloads, looked, services.ids)
    kept = record.happened(len(rows), services.now)
    version = (await store.commit([kept.write(), *map(row_write, rows)]))[0]
    for crossing in crossings:
        if crossing.measure is Measure.CLOCK and crossing.level is Level.CRITICAL:
            page_clock(kept, looked, services)
    await tell_rows(kept, version, rows, store, services)
