"""The operations of a Salto hotel, by the specification's contract: keys by way of cloud and connector."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import orjson

from infra.simulators.kit.call import Call
from infra.simulators.kit.cloud import EPOCH, MILLISECOND
from infra.simulators.kit.errors import Code, Refused
from infra.simulators.kit.operation import Answer, Operation
from infra.simulators.kit.windows import MINUTE_MS, Window
from infra.simulators.salto.cloud import OFFLINE_VALIDITY_MS, Cloud, Door, Key

ADDING, DELETING = "keys/add", "keys/delete"
PAGE = 50
MOST_ROOMS = 4
FORM = "%Y-%m-%dT%H:%M:%SZ"
IDEMPOTENCY, BODY = "x-idempotency-key", "(body)"
NEW, COPY = "new", "copy"
STATUSES: Mapping[Code, HTTPStatus] = {
    "api_key_unknown": HTTPStatus.UNAUTHORIZED,
    "api_key_expired": HTTPStatus.UNAUTHORIZED,
    "room_unknown": HTTPStatus.NOT_FOUND,
    "key_unknown": HTTPStatus.NOT_FOUND,
    "nobody_to_copy": HTTPStatus.CONFLICT,
    "idempotency_key_reused": HTTPStatus.CONFLICT,
    "offline_room": HTTPStatus.CONFLICT,
    "connector_down": HTTPStatus.FAILED_DEPENDENCY,
    "phone_invalid": HTTPStatus.UNPROCESSABLE_ENTITY,
    "window_invalid": HTTPStatus.UNPROCESSABLE_ENTITY,
}


async def list_doors(cloud: Cloud, call: Call) -> Answer:
    """Return a page of doors with their condition, as far as anybody hears of them."""
    return _page("doors", [_door_shown(cloud, door) for door in cloud.doors.values()], call)


async def list_keys(cloud: Cloud, call: Call) -> Answer:
    """Return a page of the keys that may open a room."""
    lock = str(_door(cloud, call.text("room")).lock_id)
    return _page("keys", [_shown(key) for key in cloud.good_at(lock)], call)


async def add_key(cloud: Cloud, call: Call) -> Answer:
    """Put a key on a phone, once for an idempotency key."""
    name, body = call.text(IDEMPOTENCY), str(call.fields.get(BODY, ""))
    known = cloud.recalled(name, body)
    if known is not None:
        return {**known, "cancelled": cloud.keys[known["keyId"]].cancelled}
    await cloud.latency.over_the_air()
    answer = _added(cloud, call)
    cloud.remember(name, body, answer)
    return answer


async def delete_key(cloud: Cloud, call: Call) -> Answer:
    """Cancel a key: doors with a line hear of it at once, others when it is held to an updater."""
    key = cloud.keys.get(call.text("key"))
    if key is None:
        raise Refused("key_unknown")
    doors = [cloud.doors[room] for room in key.rooms]
    _refuse_without_connector(cloud, call, doors)
    key.cancelled = True
    pending = [str(door.lock_id) for door in doors if not door.online and not key.dead]
    over = cloud.now_ms() >= key.window.end
    return {"keyId": key.key_id, "state": "gone" if over or not pending else "pending_at_lock"}


def _added(cloud: Cloud, call: Call) -> Answer:
    rooms, role, phone = call.fields.get("rooms"), call.text("role"), call.text("phone")
    if not isinstance(rooms, list) or not 0 < len(rooms) <= MOST_ROOMS or role not in {NEW, COPY}:
        raise Refused("malformed")
    if not phone.startswith("+") or not phone[1:].isdigit() or not 8 <= len(phone) <= 16:
        raise Refused("phone_invalid")
    doors, window = [_door(cloud, str(room)) for room in rooms], _window(call)
    _refuse_without_connector(cloud, call, doors)
    number, now = cloud.next_id(), cloud.now_ms()
    guest = number if role == NEW else _copied(cloud, doors)
    names = tuple(str(door.lock_id) for door in doors)
    key = Key(f"key-{number}", call.text("name"), phone, names, window, guest, now)
    cloud.keys[key.key_id] = key
    offline = [] if all(door.online for door in doors) else [_told(now + OFFLINE_VALIDITY_MS)]
    return {**_shown(key), **({"offlineUntil": offline[0]} if offline else {})}


def _copied(cloud: Cloud, doors: Sequence[Door]) -> int:
    """Return the guest whose key is copied, of the first room; each room must have one."""
    there = [cloud.good_at(str(door.lock_id)) for door in doors]
    if not all(there):
        raise Refused("nobody_to_copy")
    return there[0][-1].guest


def _refuse_without_connector(cloud: Cloud, call: Call, doors: Sequence[Door]) -> None:
    """Refuse what only the connector can do while it is down; the cloud itself reaches doors with a line."""
    if cloud.connector_up:
        return
    if call.optional("route") != "cloud":
        raise Refused("connector_down")
    if not all(door.online for door in doors):
        raise Refused("offline_room")


def _door(cloud: Cloud, lock: str) -> Door:
    door = cloud.door(lock)
    if door is None:
        raise Refused("room_unknown")
    return door


def _window(call: Call) -> Window:
    """Read a window: whole minutes of UTC, and no other."""
    start, end = (_instant(call.text(name)) for name in ("validFrom", "validUntil"))
    if start % MINUTE_MS or end % MINUTE_MS or start >= end:
        raise Refused("window_invalid")
    return Window(start, end)


def _instant(told: str) -> int:
    try:
        return (datetime.strptime(told, FORM).replace(tzinfo=UTC) - EPOCH) // MILLISECOND
    except ValueError:
        raise Refused("window_invalid") from None


def _told(instant_ms: int) -> str:
    return (EPOCH + instant_ms * MILLISECOND).strftime(FORM)


def _shown(key: Key) -> dict[str, Any]:
    window = {"validFrom": _told(key.window.start), "validUntil": _told(key.window.end)}
    own = {"keyId": key.key_id, "name": key.name, "phone": key.phone, "rooms": [*key.rooms]}
    return {**own, **window, "cancelled": key.cancelled}


def _door_shown(cloud: Cloud, door: Door) -> dict[str, Any]:
    heard = {"battery": door.battery, "clockSkewMs": door.skew_ms} if door.online else {}
    return {"room": door.lock_id, "name": cloud.names[str(door.lock_id)], "online": door.online, **heard}


def _page(name: str, rows: Sequence[Any], call: Call) -> Answer:
    number = call.number("page", 1)
    return {name: rows[(number - 1) * PAGE : number * PAGE], "more": number * PAGE < len(rows)}


def canonical(fields: Mapping[str, Any]) -> str:
    """Return a body in one spelling, by which a repeated request is known."""
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS).decode()


OPERATIONS = (
    Operation("doors/list", "GET", "/api/doors", list_doors),
    Operation("keys/list", "GET", "/api/keys", list_keys),
    Operation(ADDING, "POST", "/api/keys", add_key),
    Operation(DELETING, "DELETE", "/api/keys/{key}", delete_key),
)
