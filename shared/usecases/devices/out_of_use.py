"""A lock is taken out of use, on a person's word; within a day its vendor's account must have changed.

1. It must have no key that counts: those are ended or moved first, by their stays. Its backup code, which
   nobody holds, is taken back with it.
2. That it is out of use is kept with it, and it leaves the premises, in one commit. One that was mapped anew
   since is taken out anew.
3. Whoever had read the premises a moment before may yet make a key there: the answer names those that were
   found, each look after looks again until there is none, and somebody is called of them, each day.
4. Each look compares the account with the one that was seen first after, by a blind index; the old one is
   ended at the vendor by whoever changes it. A day without a change calls somebody, each day anew. A §13.2.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, TenantId, UserId
from shared.domain.secret import Secret
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.vendor_session import VendorSession
from shared.ledger.backup_code import backup_code_from, ref_of
from shared.ledger.device_record import (
    DEVICE_HEALTH,
    ROTATED_WITHIN,
    Decommission,
    DeviceRecord,
    device_record_from,
)
from shared.ledger.grant_record import MOST_GRANTS, grant_from
from shared.ledger.hotel_directory import KNOWN_FOR
from shared.ledger.indexes import AT_DEVICE
from shared.ledger.premises import change_hotel
from shared.ports.documents import Delete, Ref, StaleVersion, TenantDocuments
from shared.usecases.backups.take_back import take_back

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
    # Whoever looks at locks writes of this one too, and may do so while its backup code is taken back.
    return await retry_on_conflict(lambda: _taken_out(command, store, services))


async def _taken_out(command: TakeOutOfUse, store: TenantDocuments, services: Services) -> dict[str, Any]:
    found = await store.get(Ref(DEVICE_HEALTH, str(command.device)))
    if found is None:
        raise InvalidInput("device", "no lock that was ever looked at", "Name one of keyfleet devices")
    record = device_record_from(found)
    mapped = await store.get(Ref("devices", str(command.device)))
    # One that was mapped anew since is in use again: it may have keys, and its account must change once more.
    if record.out_of_use is None or mapped is not None:
        await check_empty(command.device, store)
        await take_back(command.device, await services.ledger(command.tenant), services)
        record = _leaving(record, command, services.now)
        unmapped = [] if mapped is None else [Delete(mapped.ref, mapped.version)]
        await change_hotel(store, record.property_id, [record.write(), *unmapped])
        services.hotels.forget(command.tenant)
    assert record.out_of_use is not None  # noqa: S101 - just above
    keys = await _keys_at(command.device, store)
    return {
        "device": str(command.device),
        "rotate_by": record.out_of_use.rotate_by.isoformat(),
        "keys": keys,
    }


def _leaving(record: DeviceRecord, command: TakeOutOfUse, now: datetime) -> DeviceRecord:
    """Return a lock that leaves: what was known of where it hangs, and as which hardware, is over."""
    said = Decommission(now, command.by, command.because, now + ROTATED_WITHIN)
    return replace(record, out_of_use=said, proven_at=None, proven_as=None, swapped_at=None, hardware=None)


async def _keys_at(device: LockDeviceId, store: TenantDocuments) -> list[str]:
    found = await store.query(AT_DEVICE, {"device_id": str(device)}, limit=MOST_GRANTS)
    return sorted({str(grant_from(each).grant.credential_id) for each in found})


async def check_empty(device: LockDeviceId, store: TenantDocuments) -> None:
    """Refuse while a lock has keys that count; the backup code of its rooms is nobody's."""
    found = await store.get(ref_of(device))
    spare = None if found is None else backup_code_from(found).key
    if {*await _keys_at(device, store)} - {str(spare)}:
        remedy = "Move or end the stays whose keys open it, and wait until they are gone from it"
        raise InvalidInput("device", "keys at this lock still count", remedy)


async def watch_leaving(
    records: Sequence[DeviceRecord], desk: VendorSession, store: TenantDocuments, services: Services
) -> None:
    """See whether locks that were taken out of use are empty, and whether their account changed since."""
    leaving = [(each, each.out_of_use) for each in records if each.out_of_use and not each.out_of_use.done]
    if not leaving:
        return
    account = Secret(desk.binding.account.reveal().decode())
    marks = await desk.secrets.pin_indexes(desk.binding.property.id, account)
    for record, said in leaving:
        seen = await _emptied(_rotated(said, marks, services.now), record, store, services.now)
        if said.alarmed_at is None or services.now >= said.alarmed_at + ALARMED_EVERY:
            seen = await _alarmed(seen, record, store, services)
        if seen != said:
            # Where somebody else has changed the lock, the next look sees the same again.
            with contextlib.suppress(StaleVersion):
                await store.commit([replace(record, out_of_use=seen).write()])


def _rotated(said: Decommission, marks: Sequence[str], now: datetime) -> Decommission:
    if said.account_mark is None:
        return replace(said, account_mark=marks[0])
    changed = said.rotated_at is None and said.account_mark not in marks
    return replace(said, rotated_at=now) if changed else said


async def _emptied(
    said: Decommission, record: DeviceRecord, store: TenantDocuments, now: datetime
) -> Decommission:
    """Note that no key came to a lock as it left; until all processes know, one still may."""
    early = said.empty_at is not None or now < said.at + KNOWN_FOR
    return said if early or await _keys_at(record.id, store) else replace(said, empty_at=now)


async def _alarmed(
    said: Decommission, record: DeviceRecord, store: TenantDocuments, services: Services
) -> Decommission:
    """Call somebody of what a lock left behind, at most once a day."""
    now, about = services.now, {"deviceId": record.id, "property": record.property_id}
    keys = [] if said.empty_at or now < said.at + KNOWN_FOR else await _keys_at(record.id, store)
    late = said.rotated_at is None and now >= said.rotate_by
    if keys:
        services.log.alert(
            "keys were made at a lock that was taken out of use",
            runbook="lock/devices",
            **about,
            because=", ".join(keys),
            remedy="Move or end the stays of these keys: they open no door of theirs",
        )
    if late:
        services.log.alert(
            "an account was not changed after a lock was taken out of use",
            runbook="lock/devices",
            **about,
            because="more than a day has passed",
            remedy="Change the account at the vendor, keep its new version, and end the old one there",
        )
    return replace(said, alarmed_at=now) if keys or late else said
