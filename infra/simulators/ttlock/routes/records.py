"""What happened at a lock, as far as the cloud has heard of it."""

from typing import Any

from infra.simulators.kit.windows import DAY_MS
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.operation import Answer, get
from infra.simulators.ttlock.paging import page
from infra.simulators.ttlock.rows import Record

KEPT_MS = 183 * DAY_MS


async def list_records(cloud: Cloud, call: Call) -> Answer:
    """Return a lock's records of the last half-year, the newest first, passcodes in the clear."""
    lock, wanted = call.own_lock(cloud), call.number("recordType", 0)
    first = max(call.number("startDate", 0), cloud.now_ms() - KEPT_MS)
    last = call.number("endDate", 0)
    rows = [
        record
        for record in reversed(cloud.records.of(lock.lock_id))
        if first <= record.lock_ms
        and (not last or record.lock_ms <= last)
        and wanted in {0, record.record_type}
    ]
    return page(call, rows, _shown)


def _shown(record: Record) -> dict[str, Any]:
    return {
        "recordId": record.record_id,
        "lockId": record.lock_id,
        "recordTypeFromLock": record.type_from_lock,
        "recordType": record.record_type,
        "success": int(record.success),
        "username": record.username,
        "keyboardPwd": record.secret,
        "lockDate": record.lock_ms,
        "serverDate": record.server_ms,
    }


OPERATIONS = (get("/v3/lockRecord/list", list_records),)
