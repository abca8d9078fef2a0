"""A challenge was typed: the lock that heard it hangs where it should, or two locks hang elsewhere."""

from collections.abc import Callable
from dataclasses import replace

from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.attempt import Attempt
from shared.ledger.device_record import DEVICE_HEALTH, DeviceRecord, device_record_from
from shared.ledger.premises import change_hotel
from shared.ports.documents import Ref, TenantDocuments

Change = Callable[[DeviceRecord], DeviceRecord]


async def judge_mapping(attempt: Attempt, store: TenantDocuments, services: Services) -> None:
    """Note what an attempt with a challenge's code shows of its lock; noted once, it is nothing new."""
    challenged = attempt.challenge
    if challenged is None:
        return
    if challenged == attempt.device_id:
        if attempt.opened:
            # Which hardware hangs there, the next look takes in: somebody has been at the door.
            await _changed(
                challenged,
                lambda it: replace(it, proven_at=attempt.at, swapped_at=None, hardware=None),
                store,
                services,
            )
        return
    both = [
        await _changed(
            each,
            lambda it: it if it.swapped_at else replace(it, swapped_at=attempt.at, proven_at=None),
            store,
            services,
        )
        for each in (challenged, attempt.device_id)
    ]
    if any(both):
        services.log.alert(
            "a door has another lock than the ledger says",
            runbook="lock/devices",
            deviceId=challenged,
            property=attempt.property_id,
            because=f"its challenge was typed at the lock {attempt.device_id}",
            remedy="Map both locks to the doors at which they hang, and challenge each again",
        )


async def _changed(device: str, change: Change, store: TenantDocuments, services: Services) -> bool:
    """Change what is kept of a lock; return whether that was new."""

    async def changed() -> bool:
        found = await store.get(Ref(DEVICE_HEALTH, device))
        if found is None:
            return False
        record = device_record_from(found)
        after = change(record)
        if after == record:
            return False
        await change_hotel(store, after.property_id, [after.write()])
        services.hotels.forget(after.tenant)
        return True

    return await retry_on_conflict(changed)
