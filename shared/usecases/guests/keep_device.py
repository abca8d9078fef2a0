"""Where a guest's app takes pushes is told by the tenant's booking service, which knows whose app it is.

One device a stay, the last that was told: an app that was installed anew has another address, and the old one
would only be refused. It is sealed like the guest's contact, and gone when the stay ends.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from shared.domain.ids import ReservationId, TenantId
from shared.domain.secret import Secret
from shared.keywork.services import retry_on_conflict
from shared.ledger.guest_devices import GuestDevice, GuestDevices
from shared.usecases.guests.services import GuestServices


@dataclass(frozen=True, slots=True)
class Device:
    """What an app is called where pushes are sent from."""

    kind: Literal["fid", "token"]
    address: Secret[str]


async def keep_device(
    tenant: TenantId, stay: ReservationId, device: Device, until: datetime, on: GuestServices
) -> None:
    """Keep a device in place of the one before."""
    devices = GuestDevices(on.documents.tenant(tenant), on.cipher)
    kept = GuestDevice(device.kind, device.address)
    await retry_on_conflict(lambda: devices.register(stay, kept, until))
    on.log.info("a guest's app was told of", tenant=tenant, reservation=stay)
