"""Locks and their health as published: B §2.7 to 2.10."""

from typing import Annotated, Literal

from shared.events.wire import (
    Code,
    Count,
    DeviceId,
    Flag,
    Instant,
    Maybe,
    Percent,
    PerhapsRooms,
    PropertyId,
    Published,
    VendorCode,
    Version,
    Whole,
    text,
)


class Capabilities(Published):
    """What a lock can do (A §4 LockCapabilities)."""

    mobile_key: Flag
    card_encoding: Flag
    pin: Flag
    qr: Flag
    nfc: Flag
    remote_revoke: Flag
    remote_issue: Flag
    offline_issuance: Flag
    scope_floors: Flag
    scope_areas: Flag


class DeviceRegisteredV1(Published):
    """A lock joined the property (B §2.7); an encoder, or the door of a gym, leads to no room."""

    device_id: DeviceId
    property_id: PropertyId
    vendor: VendorCode
    label: Annotated[str, text(120)]
    rooms: PerhapsRooms
    capabilities: Capabilities
    firmware: Maybe[Version] = None
    registered_at: Instant


class HealthMetric(Published):
    """What was measured; an alert carries the measure it is about."""

    clock_skew_ms: Maybe[Whole] = None
    battery_pct: Maybe[Percent] = None
    silent_for_ms: Maybe[Count] = None
    firmware: Maybe[Version] = None


class HealthThreshold(Published):
    """The bounds the measure was held against."""

    warn_at_ms: Maybe[Count] = None
    alert_at_ms: Maybe[Count] = None
    warn_at_pct: Maybe[Percent] = None
    alert_at_pct: Maybe[Percent] = None
    oldest_firmware: Maybe[Version] = None


class DeviceHealthAlertV1(Published):
    """A health check crossed a threshold (B §2.8)."""

    device_id: DeviceId
    property_id: PropertyId
    alert: Literal["battery_low", "clock_skew", "offline", "firmware_out_of_date"]
    severity: Literal["info", "warning", "critical"]
    metric: HealthMetric
    threshold: HealthThreshold
    observed_at: Instant


class DeviceBatteryLowV1(Published):
    """A lock asks for new batteries (B §2.9)."""

    device_id: DeviceId
    property_id: PropertyId
    battery_pct: Percent
    threshold_pct: Percent
    observed_at: Instant


class DeviceOfflineV1(Published):
    """A lock fell silent (B §2.10)."""

    device_id: DeviceId
    property_id: PropertyId
    since: Instant
    last_seen_at: Instant
    reason: Code


class DeviceOnlineV1(Published):
    """A lock is back (B §2.10)."""

    device_id: DeviceId
    property_id: PropertyId
    since: Instant
    last_seen_at: Instant
    reason: Maybe[Code] = None
