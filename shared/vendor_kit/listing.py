"""A property's lock as a vendor's list completes it."""

from datetime import datetime

from shared.domain.capabilities import LockCapabilities
from shared.domain.premises import LockDevice
from shared.ports.lock import ListedDevice
from shared.vendor_kit.health import battery


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
