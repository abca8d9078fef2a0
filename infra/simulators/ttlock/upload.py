"""A lock's records reach the cloud only while a gateway hears it; until then they stay in the lock."""

from dataclasses import replace

from infra.simulators.ttlock.callbacks import announce_records
from infra.simulators.ttlock.cloud import Cloud


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
