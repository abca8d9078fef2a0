"""Acme's operations, as its documentation has them, quirks included."""

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus

from infra.simulators.acme.cloud import Cloud, Key
from infra.simulators.kit.call import Call
from infra.simulators.kit.door import Door, Written
from infra.simulators.kit.errors import Code, Refused
from infra.simulators.kit.operation import Answer, Operation
from infra.simulators.kit.windows import Window

ADDING, DELETING = "keys/add", "keys/delete"
HOUR_SECONDS = 3600
STATUSES: Mapping[Code, HTTPStatus] = {
    "unauthorized": HTTPStatus.UNAUTHORIZED,
    "bad_client": HTTPStatus.FORBIDDEN,
    "no_such_lock": HTTPStatus.NOT_FOUND,
    "no_such_key": HTTPStatus.NOT_FOUND,
    "pin_taken": HTTPStatus.CONFLICT,
    "lock_offline": HTTPStatus.CONFLICT,
}


async def give_token(cloud: Cloud, call: Call) -> Answer:
    """Log in."""
    client = cloud.plan.client
    if (call.text("client_id"), call.text("client_secret")) != (client.client_id, client.client_secret):
        raise Refused("bad_client")
    token = cloud.token()
    cloud.tokens[token] = cloud.now_ms() + HOUR_SECONDS * 1000
    return {"access_token": token, "expires_in": HOUR_SECONDS}


async def list_locks(cloud: Cloud, call: Call) -> Answer:
    """Return the locks; one page holds them all."""
    doors = cloud.doors.items() if call.number("page") == 1 else ()
    return {"locks": [_lock(cloud, lock, door) for lock, door in doors], "more": False}


async def list_keys(cloud: Cloud, call: Call) -> Answer:
    """Return a lock's keys of a name."""
    lock, name = _door(cloud, call).lock_id, call.text("name")
    rows = [_shown(key) for key in cloud.keys.of(lock) if key.name == name]
    return {"keys": rows, "more": False}


async def add_key(cloud: Cloud, call: Call) -> Answer:
    """List a key, and write it into the lock."""
    door, pin = _door(cloud, call), call.text("pin")
    _refuse_out_of_reach(door)
    await cloud.latency.over_the_air()
    if pin in door.codes:
        raise Refused("pin_taken")
    key = Key(cloud.next_id(), call.text("lock"), call.text("name"), pin, _window(call))
    door.codes[pin] = Written(key.window)
    cloud.keys.put(key.key_id, key)
    return {"id": key.key_id}


async def change_key(cloud: Cloud, call: Call) -> Answer:
    """Move a key's window, in the list and in the lock."""
    door, key = _door(cloud, call), _key(cloud, call)
    _refuse_out_of_reach(door)
    moved = replace(key, window=_window(call))
    door.codes[key.pin] = Written(moved.window)
    cloud.keys.put(key.key_id, moved)
    return {"ok": True}


async def delete_key(cloud: Cloud, call: Call) -> Answer:
    """Take a key off the list, and out of the lock."""
    door, key = _door(cloud, call), _key(cloud, call)
    _refuse_out_of_reach(door)
    door.codes.pop(key.pin, None)
    cloud.keys.drop(key.key_id)
    return {"ok": True}


def _lock(cloud: Cloud, lock: str, door: Door) -> dict[str, object]:
    condition = {"online": door.in_reach, "battery": door.battery, "skewMs": door.skew_ms}
    return {"id": lock, "name": cloud.names[lock], **condition}


def _door(cloud: Cloud, call: Call) -> Door:
    door = cloud.door(call.text("lock"))
    if door is None:
        raise Refused("no_such_lock")
    return door


def _refuse_out_of_reach(door: Door) -> None:
    if not door.in_reach:
        raise Refused("lock_offline")


def _key(cloud: Cloud, call: Call) -> Key:
    key = cloud.keys.get(call.number("key"))
    if key is None or key.lock_id != call.text("lock"):
        raise Refused("no_such_key")
    return key


def _window(call: Call) -> Window:
    return Window(call.number("from"), call.number("until"))


def _shown(key: Key) -> dict[str, object]:
    window = {"from": key.window.start, "until": key.window.end}
    return {"id": key.key_id, "name": key.name, "pin": key.pin, **window}


OPERATIONS = (
    Operation("token", "POST", "/v1/token", give_token),
    Operation("locks/list", "GET", "/v1/locks", list_locks, access=True),
    Operation("keys/list", "GET", "/v1/locks/{lock}/keys", list_keys, access=True),
    Operation(ADDING, "POST", "/v1/locks/{lock}/keys", add_key, access=True),
    Operation("keys/change", "PATCH", "/v1/locks/{lock}/keys/{key}", change_key, access=True),
    Operation(DELETING, "DELETE", "/v1/locks/{lock}/keys/{key}", delete_key, access=True),
)
