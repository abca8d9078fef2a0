"""Reaching a lock through a gateway: which takes time, one operation at a time, and may not work at all.

A lock's records reach the cloud only while a gateway hears it; until then they stay in the lock.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from infra.simulators.kit.errors import Refused
from infra.simulators.ttlock.callbacks import announce_records
from infra.simulators.ttlock.cloud import Cloud, Gateway
from infra.simulators.ttlock.door import Door


@asynccontextmanager
async def door_in_reach(cloud: Cloud, lock_id: int, *, even_frozen: bool = False) -> AsyncIterator[Door]:
    """Hold a gateway for as long as the air takes, then give the door."""
    gateway, door = _free_gateway(cloud, lock_id), cloud.doors[lock_id]
    gateway.working = True
    try:
        await cloud.latency.over_the_air()
        if not gateway.online:
            raise Refused(-3002)
        if not door.in_reach or not door.battery:
            raise Refused(-2012)
        if door.frozen and not even_frozen:
            raise Refused(-2025)
        yield door
    finally:
        gateway.working = False


def upload(cloud: Cloud, lock_id: int) -> None:
    """Move a lock's records to the cloud, if anybody can carry them."""
    door = cloud.doors[lock_id]
    if not door.log or not any(gateway.online for gateway in cloud.gateways_of(lock_id)):
        return
    arrived = [replace(record, server_ms=cloud.now_ms()) for record in door.log]
    door.log.clear()
    lock = cloud.locks[lock_id] = replace(cloud.locks[lock_id], heard_battery=door.battery)
    for record in arrived:
        cloud.records.put(record.record_id, record)
    announce_records(cloud, lock, arrived)


def _free_gateway(cloud: Cloud, lock_id: int) -> Gateway:
    gateways = cloud.gateways_of(lock_id)
    online = [gateway for gateway in gateways if gateway.online]
    free = [gateway for gateway in online if not gateway.busy]
    if not free:
        raise Refused(-3003 if online else -3002 if gateways else -2012)
    return free[0]
