"""A lock is taken out of use, on a person's word; within a day its vendor's account must have changed.

1. It must have no key that counts: those are ended or moved first, by their stays.
2. That it is out of use is kept with it, then it leaves the premises; whoever dies between is followed by the
   next call, which finds the first done. One that was mapped anew since is taken out anew.
3. Each look compares the account with the one that was seen first after, by a blind index; the old one is
   ended at the vendor by whoever changes it. A day without a change calls somebody, each day anew. A §13.2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, TenantId, UserId
from shared.domain.secret import Secret
from shared.keywork.services import Services
from shared.keywork.vendor_session import VendorSession
from shared.ledger.device_record import (
    DEVICE_HEALTH,
    ROTATED_WITHIN,
    Decommission,
    DeviceRecord,
    device_record_from,
)
from shared.ledger.indexes import AT_DEVICE
from shared.ledger.premises import change_hotel
from shared.ports.documents import Delete, Ref, StaleVersion, TenantDocuments

ALARMED_EVERY: Final = timedelta(days=1)
LONGEST_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class TakeOutOfUse:
    """Which lock, on whose word, and why."""

    tenant: TenantId
    device: LockDeviceId
    by: UserId
    because: str

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        because = body.get("because")
        if not isinstance(because, str) or not 0 < len(because) <= LONGEST_REASON:
            raise InvalidInput("because", "missing or too long", f"Say why in up to {LONGEST_REASON} letters")
        tenant, device = TenantId.parse(body.get("tenant"), "tenant"), body.get("device")
        return cls(tenant, LockDeviceId.parse(device, "device"), UserId.parse(body.get("by"), "by"), because)


async def take_out_of_use(command: TakeOutOfUse, services: Services) -> dict[str, Any]:
    """Take a lock out of use, and say until when its account must have changed."""
    store = await services.hotels.admit(command.tenant)
    found = await store.get(Ref(DEVICE_HEALTH, str(command.device)))
    if found is None:
        raise InvalidInput("device", "no lock that was ever looked at", "Name one of keyfleet devices")
    record = device_record_from(found)
    mapped = await store.get(Ref("devices", str(command.device)))
    # One that was mapped anew since is in use again: it may have keys, and its account must change once more.
    if record.out_of_use is None or mapped is not None:
        await _check_empty(command.device, store)
        rotate_by = services.now + ROTATED_WITHIN
        said = Decommission(services.now, command.by, command.because, rotate_by)
        record = replace(record, out_of_use=said)
        await store.commit([record.write()])
    if mapped is not None:
        await change_hotel(store, record.property_id, [Delete(mapped.ref, mapped.version)])
        services.hotels.forget(command.tenant)
    assert record.out_of_use is not None  # noqa: S101 - just above
    return {"device": str(command.device), "rotate_by": record.out_of_use.rotate_by.isoformat()}


async def _check_empty(device: LockDeviceId, store: TenantDocuments) -> None:
    if await store.query(AT_DEVICE, {"device_id": str(device)}, limit=1):
        remedy = "Move or end the stays whose keys open it, and wait until they are gone from it"
        raise InvalidInput("device", "keys at this lock still count", remedy)


async def watch_accounts(
    records: Sequence[DeviceRecord], desk: VendorSession, store: TenantDocuments, services: Services
) -> None:
    """See whether the account changed since a lock of it was taken out of use."""
    for record in records:
        said = record.out_of_use
        if said is None or said.rotated_at is not None:
            continue
        account = Secret(desk.binding.account.reveal().decode())
        marks = await desk.secrets.pin_indexes(record.property_id, account)
        seen = _seen(said, marks, services, record)
        if seen != said:
            try:
                await store.commit([replace(record, out_of_use=seen).write()])
            except StaleVersion:
                continue


def _seen(said: Decommission, marks: Sequence[str], services: Services, record: DeviceRecord) -> Decommission:
    now = services.now
    if said.account_mark is None:
        return replace(said, account_mark=marks[0])
    if said.account_mark not in marks:
        return replace(said, rotated_at=now)
    if now < said.rotate_by or (said.alarmed_at is not None and now < said.alarmed_at + ALARMED_EVERY):
        return said
    services.log.alert(
        "an account was not changed after a lock was taken out of use",
        runbook="lock/devices",
        deviceId=record.id,
        property=record.property_id,
        because="more than a day has passed",
        remedy="Change the account at the vendor, keep its new version, and end the old one there",
    )
    return replace(said, alarmed_at=now)
