"""A challenge was typed: the lock that heard it hangs where it should, or two locks hang elsewhere.

An attempt may be looked into twice, or be heard late: what was seen of its lock since then stands.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from shared.domain.premises import LockDevice
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.attempt import Attempt
from shared.ledger.device_record import DEVICE_HEALTH, DeviceRecord, device_record_from, door_of
from shared.ledger.premises import change_hotel
from shared.ports.documents import Ref, TenantDocuments

Change = Callable[[DeviceRecord], DeviceRecord]
CLOCKS_DIFFER: Final = timedelta(minutes=10)
"""An attempt is dated by its lock's own clock."""


async def judge_mapping(
    attempt: Attempt, mapped: LockDevice | None, store: TenantDocuments, services: Services
) -> None:
    """Note what an attempt with a challenge's code shows of its lock; noted once, it is nothing new."""
    challenged = attempt.challenge
    if challenged is None:
        return
    if challenged == attempt.device_id:
        if attempt.opened and mapped is not None:
            await _changed(challenged, lambda it: _proven(it, attempt, mapped), store, services)
        return
    both = [
        await _changed(each, lambda it: _elsewhere(it, attempt), store, services)
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


def _proven(it: DeviceRecord, attempt: Attempt, mapped: LockDevice) -> DeviceRecord:
    """Return a lock at whose door somebody has been, unless more was seen of it since."""
    known = it.proven_at is not None and it.proven_at >= attempt.at
    swapped = it.swapped_at
    since = swapped is not None and (attempt.heard_at < swapped or attempt.at < swapped - CLOCKS_DIFFER)
    if known or since:
        return it
    # Which hardware hangs there, the next look takes in.
    return replace(it, proven_at=attempt.at, proven_as=door_of(mapped), swapped_at=None, hardware=None)


def _elsewhere(it: DeviceRecord, attempt: Attempt) -> DeviceRecord:
    """Return a lock that may hang at another door, unless it was proven since."""
    if it.swapped_at is not None or (it.proven_at is not None and it.proven_at >= attempt.at):
        return it
    return replace(it, swapped_at=attempt.heard_at, proven_at=None, proven_as=None)


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
