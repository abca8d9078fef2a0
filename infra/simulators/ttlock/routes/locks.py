"""Locks as the cloud knows them."""

from typing import Any

from infra.simulators.kit.rows import resembles
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.operation import Answer, get
from infra.simulators.ttlock.paging import page
from infra.simulators.ttlock.rows import Lock

LARGEST_PAGE = 1000
PASSCODE_VERSION = 4


async def list_locks(cloud: Cloud, call: Call) -> Answer:
    """Return the locks whose top administrator the caller is."""
    alias = call.optional("lockAlias") or ""
    rows = [
        lock
        for lock in cloud.locks.values()
        if lock.admin == call.account.username and resembles(lock.alias, alias)
    ]
    return page(call, rows, lambda lock: _listed(cloud, lock), LARGEST_PAGE)


async def detail(cloud: Cloud, call: Call) -> Answer:
    """Return a lock with all that opens and programs it, as the vendor really does."""
    lock = call.own_lock(cloud)
    secrets = lock.secrets
    return {
        **_listed(cloud, lock),
        "timezoneRawOffset": lock.offset_ms,
        "isFrozen": int(cloud.doors[lock.lock_id].frozen),
        "keyboardPwdVersion": PASSCODE_VERSION,
        "adminPwd": secrets.admin_pwd,
        "lockKey": secrets.lock_key,
        "aesKeyStr": secrets.aes_key,
        "noKeyPwd": secrets.no_key_pwd,
        "modelNum": "SN284-SIM",
        "hardwareRevision": "1.1",
        "firmwareRevision": "5.1.0",
        "autoLockTime": 5,
        "lockSound": 1,
        "passageMode": 2,
        "resetButton": 1,
        "tamperAlert": 1,
    }


def _listed(cloud: Cloud, lock: Lock) -> dict[str, Any]:
    return {
        "lockId": lock.lock_id,
        "lockName": lock.name,
        "lockAlias": lock.alias,
        "lockMac": lock.mac,
        "electricQuantity": lock.heard_battery,
        "featureValue": lock.feature_value,
        "hasGateway": int(bool(cloud.gateways_of(lock.lock_id))),
        "lockData": lock.secrets.lock_data,
        "date": lock.initialised_ms,
    }


OPERATIONS = (get("/v3/lock/list", list_locks), get("/v3/lock/detail", detail))
