"""A property's lock as a vendor's list completes it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from shared.domain.capabilities import LockCapabilities
from shared.domain.ids import LockDeviceId
from shared.domain.premises import LockDevice
from shared.ports.lock import DeviceHealth, ListedDevice
from shared.vendor_kit.asks import Json
from shared.vendor_kit.grids import EPOCH, MILLISECOND
from shared.vendor_kit.health import battery, skew_warnings


@dataclass(frozen=True, slots=True)
class LockRow:
    """A lock as its vendor lists it, by the vendor's own name; of one without a line nothing is heard."""

    name: str
    label: str
    online: bool
    battery: int | None
    skew: timedelta | None

    def seen_at(self, now: datetime) -> datetime:
        """Return when the vendor heard of it last: now, or nobody knows when."""
        return now if self.online else EPOCH

    def health(self, device_id: LockDeviceId, now: datetime) -> DeviceHealth:
        """Return how the lock is, as its vendor tells it now."""
        return DeviceHealth(
            device_id=device_id,
            online=self.online,
            battery=battery(self.battery),
            clock_skew_ms=None if self.skew is None else self.skew // MILLISECOND,
            last_sync_at=now if self.online else None,
            warnings=skew_warnings(self.skew),
        )

    def listed(self, device: LockDevice, able: LockCapabilities, now: datetime) -> ListedDevice:
        """Return our lock with what its vendor tells of it."""
        condition = partial(listed_device, online=self.online, label=self.label, percent=self.battery)
        return condition(device, able, self.seen_at(now))


def lock_row(row: Json, named: str) -> LockRow:
    """Read a row that names a lock by this field; a charge or a clock that no lock can have is none."""
    charge, skew_ms = row.get("battery"), row.get("clockSkewMs")
    return LockRow(
        str(row[named]),
        str(row.get("name") or ""),
        row["online"] is True,
        charge if isinstance(charge, int) and 0 <= charge <= 100 else None,
        timedelta(milliseconds=skew_ms) if isinstance(skew_ms, int) else None,
    )


def listed_device(
    device: LockDevice,
    able: LockCapabilities,
    seen_at: datetime,
    *,
    online: bool = True,
    label: str = "",
    percent: int | None = None,
) -> ListedDevice:
    """Return a lock of ours with what its vendor told of it, and what both can do."""
    return ListedDevice(
        device_id=device.id,
        property_id=device.property_id,
        vendor=device.vendor,
        label=label or device.label,
        rooms=device.rooms,
        online=online,
        last_seen_at=seen_at,
        capabilities=device.capabilities & able,
        battery=battery(percent),
    )
