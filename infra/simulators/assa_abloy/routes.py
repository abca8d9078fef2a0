"""Vostio's operations: access grants in one environment, by the specification's contract."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any

import orjson

from infra.simulators.assa_abloy.cloud import RATE_LIMITED, Cloud, Grant
from infra.simulators.assa_abloy.door import PHONE_KIND, Door, Held
from infra.simulators.kit.call import Call
from infra.simulators.kit.cloud import EPOCH, MILLISECOND
from infra.simulators.kit.door import Written
from infra.simulators.kit.errors import Code, Refused
from infra.simulators.kit.operation import Answer, Operation
from infra.simulators.kit.windows import MINUTE_MS, Window

ADDING, DELETING = "grants/add", "grants/delete"
HOUR_SECONDS = 3600
PAGE = 50
FORM = "%Y-%m-%dT%H:%M:%SZ"
MOST_GRANTS_OF_A_DOOR = 500
KINDS = (PHONE_KIND, "rfid_card", "nfc_tag")
IDEMPOTENCY, BODY = "idempotency-key", "(body)"
STATUSES: Mapping[Code, HTTPStatus] = {
    "unauthorized": HTTPStatus.UNAUTHORIZED,
    "invalid_client": HTTPStatus.UNAUTHORIZED,
    "door_not_found": HTTPStatus.NOT_FOUND,
    "grant_not_found": HTTPStatus.NOT_FOUND,
    "door_offline": HTTPStatus.CONFLICT,
    "door_full": HTTPStatus.CONFLICT,
    "idempotency_key_reused": HTTPStatus.CONFLICT,
    "endpoint_not_registered": HTTPStatus.UNPROCESSABLE_ENTITY,
    "validity_invalid": HTTPStatus.UNPROCESSABLE_ENTITY,
    RATE_LIMITED: HTTPStatus.TOO_MANY_REQUESTS,
    "maintenance": HTTPStatus.SERVICE_UNAVAILABLE,
}


async def give_token(cloud: Cloud, call: Call) -> Answer:
    """Log a client in to its own environment."""
    client = cloud.plan.client
    good = {client.client_secret, client.next_secret}
    own = (client.client_id, client.environment, "client_credentials")
    told = tuple(call.text(name) for name in ("client_id", "audience", "grant_type"))
    if told != own or call.text("client_secret") not in good:
        raise Refused("invalid_client")
    token = cloud.token()
    cloud.tokens[token] = cloud.now_ms() + HOUR_SECONDS * 1000
    return {"access_token": token, "token_type": "Bearer", "expires_in": HOUR_SECONDS}


async def list_maintenance(cloud: Cloud, _: Call) -> Answer:
    """Return the published windows; this is answered at any time, and to anybody."""
    windows = [
        {"from": _told(each.begins * 1000), "until": _told(each.ends * 1000)} for each in cloud.maintenance
    ]
    return {"windows": windows}


async def list_doors(cloud: Cloud, call: Call) -> Answer:
    """Return a page of doors with their condition."""
    return _page("doors", [_door_shown(cloud, door) for door in cloud.doors.values()], call)


async def show_door(cloud: Cloud, call: Call) -> Answer:
    """Return one door with its condition."""
    return _door_shown(cloud, _door(cloud, call.text("door")))


async def list_grants(cloud: Cloud, call: Call) -> Answer:
    """Return a page of a door's grants whose names begin so, whatever the case."""
    lock, name = str(_door(cloud, call.text("door")).lock_id), (call.optional("name") or "").casefold()
    rows = [each for each in cloud.grants.values() if lock in each.doors]
    found = [_shown(each) for each in rows if each.name.casefold().startswith(name)]
    return _page("grants", found, call)


async def add_grant(cloud: Cloud, call: Call) -> Answer:
    """Let somebody in, once for an idempotency key: a second time is answered in the first one's words."""
    key, body = call.optional(IDEMPOTENCY), str(call.fields.get(BODY, ""))
    known: Answer | None = None if key is None else cloud.recalled(key, body)
    if known is not None:
        return known
    await cloud.latency.over_the_air()
    answer = _shown(_added(cloud, call))
    if key is not None:
        cloud.remember(key, body, answer)
    return answer


async def change_grant(cloud: Cloud, call: Call) -> Answer:
    """Move a grant's window, in the list and at its doors."""
    return _kept(cloud, replace(_grant(cloud, call), window=_window(call)))


async def suspend_grant(cloud: Cloud, call: Call) -> Answer:
    """Let a grant rest."""
    return _kept(cloud, replace(_grant(cloud, call), suspended=True))


async def resume_grant(cloud: Cloud, call: Call) -> Answer:
    """Let a resting grant open again."""
    return _kept(cloud, replace(_grant(cloud, call), suspended=False))


async def delete_grant(cloud: Cloud, call: Call) -> Answer:
    """Take a grant off the list, and out of its doors."""
    grant = _grant(cloud, call)
    for door in _doors_in_reach(cloud, grant.doors):
        door.held.pop(grant.grant_id, None)
    del cloud.grants[grant.grant_id]
    return {"grantId": grant.grant_id, "state": "deleted"}


def _added(cloud: Cloud, call: Call) -> Grant:
    doors, kind = call.fields.get("doors"), call.text("type")
    if not isinstance(doors, list) or not doors or kind not in KINDS:
        raise Refused("malformed")
    credential, window = _credential(cloud, call, kind), _window(call)
    for door in _doors_in_reach(cloud, [str(each) for each in doors]):
        if len(door.held) >= MOST_GRANTS_OF_A_DOOR:
            raise Refused("door_full")
    ours = f"grant-{cloud.next_id()}"
    grant = Grant(ours, call.text("name"), kind, credential, tuple(map(str, doors)), window)
    _kept(cloud, grant)
    return grant


def _credential(cloud: Cloud, call: Call, kind: str) -> str:
    if kind != PHONE_KIND:
        return call.text("cardNumber")
    phone = call.text("endpoint")
    if phone not in cloud.plan.phones:
        raise Refused("endpoint_not_registered")
    return phone


def _kept(cloud: Cloud, grant: Grant) -> Answer:
    for door in _doors_in_reach(cloud, grant.doors):
        written = Written(grant.window)
        door.held[grant.grant_id] = Held(grant.kind, grant.credential, written, grant.suspended)
    cloud.grants[grant.grant_id] = grant
    return _shown(grant)


def _doors_in_reach(cloud: Cloud, locks: Sequence[str]) -> list[Door]:
    """Return the doors if all of them can be told: online locks are told at once or not at all."""
    doors = [_door(cloud, lock) for lock in locks]
    if not all(door.in_reach for door in doors):
        raise Refused("door_offline")
    return doors


def _door(cloud: Cloud, lock: str) -> Door:
    door = cloud.door(lock)
    if door is None:
        raise Refused("door_not_found")
    return door


def _grant(cloud: Cloud, call: Call) -> Grant:
    grant = cloud.grants.get(call.text("grant"))
    if grant is None:
        raise Refused("grant_not_found")
    return grant


def _window(call: Call) -> Window:
    """Read a window: whole minutes of UTC, and no other."""
    start, end = (_instant(call.text(name)) for name in ("validFrom", "validUntil"))
    if start % MINUTE_MS or end % MINUTE_MS or start >= end:
        raise Refused("validity_invalid")
    return Window(start, end)


def _instant(told: str) -> int:
    try:
        instant = datetime.strptime(told, FORM).replace(tzinfo=UTC)
    except ValueError:
        raise Refused("validity_invalid") from None
    return (instant - EPOCH) // MILLISECOND


def _told(instant_ms: int) -> str:
    return (EPOCH + timedelta(milliseconds=instant_ms)).strftime(FORM)


def _shown(grant: Grant) -> dict[str, Any]:
    window = {"validFrom": _told(grant.window.start), "validUntil": _told(grant.window.end)}
    state = "suspended" if grant.suspended else "active"
    field = "endpoint" if grant.kind == PHONE_KIND else "cardNumber"
    own = {"grantId": grant.grant_id, "name": grant.name, "type": grant.kind, field: grant.credential}
    return {**own, "doors": [*grant.doors], **window, "state": state}


def _door_shown(cloud: Cloud, door: Door) -> dict[str, Any]:
    condition = {"online": door.in_reach, "battery": door.battery, "clockSkewMs": door.skew_ms}
    return {"doorId": door.lock_id, "name": cloud.names[str(door.lock_id)], **condition}


def _page(name: str, rows: Sequence[Any], call: Call) -> Answer:
    number = call.number("page", 1)
    shown = rows[(number - 1) * PAGE : number * PAGE]
    return {name: shown, "total": len(rows), "more": number * PAGE < len(rows)}


def canonical(fields: Mapping[str, Any]) -> str:
    """Return a body in one spelling, by which a repeated request is known."""
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS).decode()


OPERATIONS = (
    Operation("token", "POST", "/oauth2/token", give_token),
    Operation("maintenance/list", "GET", "/v1/maintenance-windows", list_maintenance, metered=False),
    Operation("doors/list", "GET", "/v1/doors", list_doors, access=True),
    Operation("doors/show", "GET", "/v1/doors/{door}", show_door, access=True),
    Operation("grants/list", "GET", "/v1/access-grants", list_grants, access=True),
    Operation(ADDING, "POST", "/v1/access-grants", add_grant, access=True),
    Operation("grants/change", "PATCH", "/v1/access-grants/{grant}", change_grant, access=True),
    Operation(DELETING, "DELETE", "/v1/access-grants/{grant}", delete_grant, access=True),
    Operation("grants/suspend", "POST", "/v1/access-grants/{grant}/suspend", suspend_grant, access=True),
    Operation("grants/resume", "POST", "/v1/access-grants/{grant}/resume", resume_grant, access=True),
)
