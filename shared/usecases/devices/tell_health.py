"""What happened to a lock becomes events: B §2.7 to 2.10, in the stream of the lock."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final, Literal

from shared.domain.device_health import (
    BATTERY_CRITICAL,
    SKEW_BOUNDS_MS,
    Condition,
    Crossing,
    Level,
    Looked,
    Measure,
    battery_threshold,
)
from shared.domain.premises import LockDevice
from shared.events.device import (
    Capabilities,
    DeviceBatteryLowV1,
    DeviceHealthAlertV1,
    DeviceOfflineV1,
    DeviceOnlineV1,
    DeviceRegisteredV1,
    HealthMetric,
    HealthThreshold,
)
from shared.events.outbox import OutboxRow
from shared.events.wire import Published
from shared.keywork.services import Services
from shared.ledger.device_record import DeviceRecord
from shared.ports.ambient import Ids
from shared.ports.documents import TenantDocuments
from shared.streams.owed import nothing_owed
from shared.streams.rows import Telling, row_of

MILLISECOND: Final = timedelta(milliseconds=1)
NO_HEARTBEAT: Final = "no_heartbeat"
LONGEST_LABEL: Final = 120


def registered(record: DeviceRecord, device: LockDevice, firmware: str | None) -> DeviceRegisteredV1:
    """Return that a lock joined its property."""
    able = {name: name in device.capabilities.names for name in Capabilities.model_fields}
    return DeviceRegisteredV1(
        device_id=str(record.id),
        property_id=record.property_id,
        vendor=record.vendor,
        label=(device.label or device.vendor_device)[:LONGEST_LABEL],
        rooms=device.rooms,
        capabilities=Capabilities(**able),
        firmware=firmware,
        registered_at=record.registered_at,
    )


def told(record: DeviceRecord, crossing: Crossing, looked: Looked) -> Iterator[Published]:
    """Return the events of one crossing: an alert with its measure, and what B tells besides."""
    about = {"device_id": str(record.id), "property_id": record.property_id}
    condition = record.condition
    seen = condition.last_seen_at or looked.last_seen_at
    since = crossing.since or seen
    if crossing.back:
        yield DeviceOnlineV1(**about, since=crossing.at, last_seen_at=seen)
        return
    if crossing.measure is Measure.BATTERY and crossing.level is Level.WARNING:
        percent = float(condition.battery or 0)
        low = float(battery_threshold(looked))
        yield DeviceBatteryLowV1(**about, battery_pct=percent, threshold_pct=low, observed_at=crossing.at)
    if crossing.measure is Measure.SILENCE:
        yield DeviceOfflineV1(**about, since=since, last_seen_at=seen, reason=NO_HEARTBEAT)
    yield DeviceHealthAlertV1(
        **about,
        alert=crossing.measure.value,
        severity=_severity(crossing.level),
        metric=_metric(condition, crossing, looked),
        threshold=_threshold(crossing, looked),
        observed_at=crossing.at,
    )


def rows_of(record: DeviceRecord, payloads: Sequence[Published], looked: Looked, ids: Ids) -> list[OutboxRow]:
    """Return the rows that follow what a lock's stream has, in order."""
    return [
        row_of(
            payload,
            Telling(
                tenant=record.tenant,
                stream=str(record.id),
                sequence=record.sequence + number,
                action=_ACTIONS[type(payload)],
                at=looked.at,
                vendor=record.vendor,
            ),
            ids,
        )
        for number, payload in enumerate(payloads, start=1)
    ]


async def tell_rows(
    kept: DeviceRecord, version: str, rows: Sequence[OutboxRow], store: TenantDocuments, services: Services
) -> None:
    """Tell what was just kept of a lock, if it is worth telling."""
    if rows:
        standing = replace(kept, version=version, stored=kept.sequence, told=tuple(rows))
        await nothing_owed([await standing.announce(store, services.bus)], store.note)


def page_clock(record: DeviceRecord, looked: Looked, services: Services) -> None:
    """Call somebody: by such a clock keys open and close at wrong hours."""
    services.log.alert(
        "a lock's clock is more than ten minutes wrong",
        runbook="lock/devices",
        deviceId=record.id,
        property=record.property_id,
        because=f"{(looked.skew_ms or 0) // 1000} seconds",
        remedy="Set the lock's clock in the vendor's app; change its battery",
    )


_ACTIONS: Final[dict[type[Published], str]] = {
    DeviceRegisteredV1: "device_registered",
    DeviceBatteryLowV1: "battery_low",
    DeviceOfflineV1: "device_offline",
    DeviceOnlineV1: "device_online",
    DeviceHealthAlertV1: "health_alert",
}


def _severity(level: Level) -> Literal["warning", "critical"]:
    return "critical" if level is Level.CRITICAL else "warning"


def _metric(condition: Condition, crossing: Crossing, looked: Looked) -> HealthMetric:
    match crossing.measure:
        case Measure.BATTERY:
            return HealthMetric(battery_pct=float(condition.battery or 0))
        case Measure.CLOCK:
            return HealthMetric(clock_skew_ms=looked.skew_ms)
        case Measure.SILENCE:
            silent = (looked.at - (crossing.since or looked.at)) // MILLISECOND
            return HealthMetric(silent_for_ms=max(0, silent))
        case Measure.FIRMWARE:
            return HealthMetric(firmware=condition.firmware)


def _threshold(crossing: Crossing, looked: Looked) -> HealthThreshold:
    match crossing.measure:
        case Measure.BATTERY:
            low = battery_threshold(looked)
            return HealthThreshold(warn_at_pct=float(low), alert_at_pct=float(min(BATTERY_CRITICAL, low)))
        case Measure.CLOCK:
            warn, alert = SKEW_BOUNDS_MS
            return HealthThreshold(warn_at_ms=warn, alert_at_ms=alert)
        case Measure.SILENCE:
            return HealthThreshold()
        case Measure.FIRMWARE:
            return HealthThreshold(oldest_firmware=looked.oldest_firmware)
