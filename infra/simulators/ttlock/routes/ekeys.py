"""Keys in phones. The cloud keeps their windows; the lock does not."""

import re
from dataclasses import replace
from typing import Any

import orjson

from infra.simulators.kit.errors import Refused
from infra.simulators.kit.rows import resembles
from infra.simulators.ttlock.build import md5_hex, open_account
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.errors import FINE
from infra.simulators.ttlock.operation import Answer, get, post
from infra.simulators.ttlock.paging import ordered, page
from infra.simulators.ttlock.rows import FROZEN_KEY, NORMAL, EKey, Lock

PHONE_OR_MAIL = re.compile(r"\+?\d{6,15}|[^@\s]+@[^@\s]+")
DEFAULT_PASSWORD_LENGTH = 6
YES, NO = 1, 2


async def send(cloud: Cloud, call: Call) -> Answer:
    """Send a key; whoever holds one for the lock already loses it and gets a new one, with a new id."""
    lock, holder = call.own_lock(cloud), _receiver(cloud, call)
    return {"keyId": _give(cloud, call, lock, holder), **FINE}


async def batch_send(cloud: Cloud, call: Call) -> Answer:
    """Send keys of several locks to one holder: all of them, or none."""
    locks = [call.owned(cloud.lock(lock_id)) for lock_id in _lock_ids(call)]
    holder = _receiver(cloud, call)
    for lock in locks:
        _give(cloud, call, lock, holder)
    return FINE


async def freeze(cloud: Cloud, call: Call) -> Answer:
    """Tell honest phones not to use a key for now."""
    return _put(cloud, replace(_listed_key(cloud, call), status=FROZEN_KEY))


async def unfreeze(cloud: Cloud, call: Call) -> Answer:
    """Tell them that they may again."""
    return _put(cloud, replace(_listed_key(cloud, call), status=NORMAL))


async def change_period(cloud: Cloud, call: Call) -> Answer:
    """Give a key another window."""
    key = _listed_key(cloud, call)
    if key.status == FROZEN_KEY:
        raise Refused(-2023)
    return _put(cloud, replace(key, window=call.window()))


async def delete(cloud: Cloud, call: Call) -> Answer:
    """Take a key off the list; a phone that keeps it can still open."""
    cloud.ekeys.drop(_listed_key(cloud, call).key_id)
    return FINE


async def unlock_link(cloud: Cloud, call: Call) -> Answer:
    """Return a link that opens the lock over its gateway, where key and lock allow that."""
    key = _listed_key(cloud, call)
    if key.remote != YES or not cloud.gateways_of(key.lock_id):
        raise Refused(-4043)
    return {"link": f"https://ekey.invalid/h?k={cloud.token()[:8]}"}


async def list_keys(cloud: Cloud, call: Call) -> Answer:
    """Return a lock's keys; a search is by name alone."""
    lock, search = call.own_lock(cloud), call.optional("searchStr") or ""
    rows = [key for key in cloud.ekeys.of(lock.lock_id) if resembles(key.name, search)]
    rows = ordered(call, rows, lambda key: key.name, lambda key: key.key_id)
    return page(call, rows, lambda key: _shown(cloud, key))


def _lock_ids(call: Call) -> list[int]:
    try:
        ids = orjson.loads(call.text("lockIdList"))
    except orjson.JSONDecodeError:
        raise Refused(80002) from None
    if not isinstance(ids, list) or not ids or not all(isinstance(lock_id, int) for lock_id in ids):
        raise Refused(-3)
    return ids


def _receiver(cloud: Cloud, call: Call) -> str:
    username = call.text("receiverUsername")
    if username == call.account.username:
        raise Refused(-2019)
    if username not in cloud.accounts:
        if call.choice("createUser", (YES, NO), NO) != YES or not PHONE_OR_MAIL.fullmatch(username):
            raise Refused(-4064)
        # Anybody who knows the number knows this password: the vendor's default, and a trap.
        open_account(cloud, username, md5_hex(username[-DEFAULT_PASSWORD_LENGTH:]))
    return username


def _give(cloud: Cloud, call: Call, lock: Lock, holder: str) -> int:
    key = EKey(
        key_id=cloud.next_id(),
        lock_id=lock.lock_id,
        holder=holder,
        name=call.text("keyName"),
        window=call.window(),
        sent_ms=cloud.now_ms(),
        sender=call.account.username,
        authorised=call.choice("keyRight", (0, 1), 0),
        remote=call.choice("remoteEnable", (YES, NO), NO),
        remarks=call.optional("remarks") or "",
    )
    for old in cloud.ekeys.of(lock.lock_id):
        if old.holder == holder:
            cloud.ekeys.drop(old.key_id)
    cloud.doors[lock.lock_id].phones[key.key_id] = key
    _put(cloud, key)
    return key.key_id


def _put(cloud: Cloud, key: EKey) -> Answer:
    cloud.ekeys.put(key.key_id, key)
    return FINE


def _listed_key(cloud: Cloud, call: Call) -> EKey:
    key = cloud.ekeys.get(call.number("keyId"))
    if key is None:
        raise Refused(-1008)
    call.owned(cloud.locks[key.lock_id])
    return key


def _shown(cloud: Cloud, key: EKey) -> dict[str, Any]:
    return {
        "keyId": key.key_id,
        "lockId": key.lock_id,
        "username": key.holder,
        "uid": cloud.accounts[key.holder].uid,
        "keyName": key.name,
        "keyStatus": key.status,
        "startDate": key.window.start,
        "endDate": key.window.end,
        "keyRight": key.authorised,
        "remoteEnable": key.remote,
        "senderUsername": key.sender,
        "remarks": key.remarks,
        "date": key.sent_ms,
    }


OPERATIONS = (
    post("/v3/key/send", send),
    post("/v3/key/batchSend", batch_send),
    post("/v3/key/freeze", freeze),
    post("/v3/key/unfreeze", unfreeze),
    post("/v3/key/changePeriod", change_period),
    post("/v3/key/delete", delete),
    post("/v3/key/getUnlockLink", unlock_link),
    get("/v3/lock/listKey", list_keys),
)
