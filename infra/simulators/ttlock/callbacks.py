"""What the cloud tells an application by itself: unsigned forms, gateway losses half an hour late."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from infra.simulators.kit.callbacks import Notice
from infra.simulators.kit.windows import MINUTE_MS
from infra.simulators.ttlock.cloud import Cloud, Gateway
from infra.simulators.ttlock.rows import Application, Lock, Record

OF_RECORDS, OF_GATEWAY = 1, 2
LOSS_IS_TOLD_AFTER_MS = 30 * MINUTE_MS


def announce_records(cloud: Cloud, lock: Lock, records: Sequence[Record]) -> None:
    """Raise a notice of new records."""
    shown = [record_fields(record, lock) for record in records]
    form = {
        "notifyType": str(OF_RECORDS),
        "lockId": str(lock.lock_id),
        "lockMac": lock.mac,
        "admin": lock.admin,
        "records": orjson.dumps(shown).decode(),
    }
    _notify(cloud, lock.admin, f"lock {lock.lock_id}", form, cloud.now_ms())


def announce_gateway(cloud: Cloud, gateway: Gateway) -> None:
    """Raise a notice that a gateway came back, or will have been gone for half an hour."""
    topic = f"gateway {gateway.gateway_id}"
    cloud.notices.withdraw(topic)
    form = {
        "notifyType": str(OF_GATEWAY),
        "gatewayId": str(gateway.gateway_id),
        "gatewayName": gateway.name,
        "gatewayMac": gateway.mac,
        "gatewayVersion": str(gateway.version),
        "networkName": "hotel",
        "isOnline": str(int(gateway.online)),
    }
    late = 0 if gateway.online else LOSS_IS_TOLD_AFTER_MS
    _notify(cloud, gateway.admin, topic, form, cloud.now_ms() + late)


def record_fields(record: Record, lock: Lock) -> dict[str, Any]:
    """Return a record as a callback has it, the guest's passcode included."""
    return {
        "lockId": record.lock_id,
        "electricQuantity": lock.heard_battery,
        "serverDate": record.server_ms,
        "recordTypeFromLock": record.type_from_lock,
        "recordType": record.record_type,
        "success": int(record.success),
        "lockMac": lock.mac,
        "keyboardPwd": record.secret,
        "lockDate": record.lock_ms,
        "username": record.username,
    }


def _notify(cloud: Cloud, admin: str, topic: str, form: Mapping[str, str], due_ms: int) -> None:
    for application in _listeners(cloud, admin):
        cloud.notices.waiting.append(Notice(due_ms, application.client_id, topic, form))


def _listeners(cloud: Cloud, admin: str) -> Iterable[Application]:
    # Only an application through which the admin has logged in hears of the admin's locks.
    met = {token.client_id for token in cloud.access_tokens.values() if token.username == admin}
    return (app for app in cloud.applications.values() if cloud.hooks[app.client_id] and app.client_id in met)
