"""A hotel's Visionline server: sessions, signed requests, doors, keys on phones, and what locks do."""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from infra.simulators.assa_abloy.cloud import Cloud, PhoneKey
from infra.simulators.assa_abloy.door import Door
from infra.simulators.kit.call import Call
from infra.simulators.kit.cloud import EPOCH, MILLISECOND
from infra.simulators.kit.errors import Code, Refused
from infra.simulators.kit.operation import Answer, Operation, Reply, Request, json_fields
from infra.simulators.kit.windows import Reason, Window

API = "/api/v1"
SESSION_MINUTES, MOST_DRIFT = 20, timedelta(minutes=15)
FORM = "%Y%m%dT%H%M"
FIELDS = {"expireTime", "format", "endPointID", "label", "description", "doorOperations"}
SIGNED, BODY = "(signed)", "(raw)"
OPEN_TO_ALL, SIGNED_ONLY = "visionline, open", "visionline"
SECRETS = ("endPointID", "password", SIGNED, BODY)
STATUSES: Mapping[Code, HTTPStatus] = {
    "bad_signature": HTTPStatus.UNAUTHORIZED,
    "bad_login": HTTPStatus.FORBIDDEN,
    "bad_request": HTTPStatus.BAD_REQUEST,
    "no_door": HTTPStatus.NOT_FOUND,
    "no_endpoint": HTTPStatus.UNPROCESSABLE_ENTITY,
}


def fields_of(request: Request) -> Mapping[str, Any] | HTTPStatus:
    """Return what a request says, with all that its signature is about."""
    fields = json_fields(request)
    if isinstance(fields, HTTPStatus):
        return fields
    query = f"?{request.query.decode('latin-1')}" if request.query else ""
    named = {name: request.header(name) for name in ("content-md5", "date", "authorization")}
    about = {**named, "content-type": request.content_type, "path": f"{request.path}{query}"}
    return {**fields, SIGNED: {**about, "method": request.method}, BODY: request.body}


def admitted(cloud: Cloud, operation: Operation[Cloud], fields: Mapping[str, Any]) -> Call:
    """Return the call of a session that signed it, and of a body that is the one that was signed."""
    about, body = fields[SIGNED], fields[BODY]
    digest = base64.b64encode(hashlib.md5(body).digest()).decode() if body else ""  # noqa: S324 - the interface's
    if about["content-md5"] != digest or not _in_time(cloud, about["date"]):
        raise Refused("bad_signature")
    if operation.access == SIGNED_ONLY and not _signed(cloud, about):
        raise Refused("bad_signature")
    return Call({name: value for name, value in fields.items() if name not in {SIGNED, BODY}})


def _in_time(cloud: Cloud, date: str) -> bool:
    try:
        return abs(parsedate_to_datetime(date) - cloud.now()) <= MOST_DRIFT
    except (TypeError, ValueError):
        return False


def _signed(cloud: Cloud, about: Mapping[str, str]) -> bool:
    session, _, given = about["authorization"].removeprefix("AWS ").partition(":")
    key, until = cloud.sessions.get(session, ("", 0))
    lines = [about[name] for name in ("method", "content-md5", "content-type", "date", "path")]
    wanted = hmac.new(key.encode(), "\n".join(lines).encode(), hashlib.sha1).digest()
    good = hmac.compare_digest(base64.b64encode(wanted).decode(), given)
    return good and until > cloud.now_ms()


async def open_session(cloud: Cloud, call: Call) -> Answer:
    """Open a session for the hotel's operator."""
    operator = cloud.plan.operator
    if (call.text("username"), call.text("password")) != (operator.username, operator.password):
        raise Refused("bad_login")
    session, key = f"session-{cloud.next_id()}", cloud.token()
    cloud.sessions[session] = (key, cloud.now_ms() + SESSION_MINUTES * 60_000)
    return Reply(HTTPStatus.CREATED, orjson.dumps({"id": session, "accessKey": key}), "application/json")


async def list_doors(cloud: Cloud, _: Call) -> Answer:
    """Return the hotel's doors, as a bare list."""
    return [{"id": lock, "description": cloud.names[lock]} for lock in cloud.doors]


async def list_cards(cloud: Cloud, call: Call) -> Answer:
    """Return the guests' keys that are good at a door at a time, as a bare list."""
    door, at = _door(cloud, call.text("guestDoor")), _instant(cloud, call.text("validTime"))
    keys = [key for key in cloud.phone_keys.values() if str(door.lock_id) in key.doors]
    good = [key for key in keys if at < key.window.end and not _overridden(cloud, key, str(door.lock_id))]
    return [_shown(cloud, key) for key in good]


async def add_card(cloud: Cloud, call: Call) -> Answer:
    """Put a key on a phone: it overrides the guests before, or joins the last of them."""
    fields, overrides = call.fields, call.fields.get("override") == "true"
    if fields.get("action") != "mobileAccess" or overrides is (fields.get("autoJoin") == "true"):
        raise Refused("bad_request")
    doors, phone = _doors(cloud, call), call.text("endPointID")
    if fields.get("format") != "rfid48" or not fields.keys() >= FIELDS:
        raise Refused("bad_request")
    if phone not in cloud.plan.phones:
        raise Refused("no_endpoint")
    window = Window(cloud.now_ms(), _instant(cloud, call.text("expireTime")))
    number = cloud.next_id()
    joined = max((key.guest for key in cloud.phone_keys.values() if {*doors} & {*key.doors}), default=number)
    guest = number if overrides else joined
    key = PhoneKey(f"credential-{number}", call.text("description"), phone, doors, window, guest)
    cloud.phone_keys[key.key_id] = key
    return Reply(HTTPStatus.CREATED, orjson.dumps({"credentialId": key.key_id}), "application/json")


def tried(cloud: Cloud, door: Door, phone: str) -> Reason:
    """Return what a lock says to a phone with keys for it; a later guest's ends those of earlier ones."""
    keys = [key for key in cloud.phone_keys.values() if key.phone == phone and str(door.lock_id) in key.doors]
    if not keys:
        return door.verdict(None, cloud.now_ms())
    said = [_said(cloud, door, key) for key in keys]
    if Reason.OPEN in said:
        door.last_guest = max(key.guest for key in keys)
        return Reason.OPEN
    return said[-1]


def _said(cloud: Cloud, door: Door, key: PhoneKey) -> Reason:
    if key.guest < door.last_guest:
        return door.impaired() or Reason.DELETED
    return door.impaired() or key.window.judged(door.lock_ms(cloud.now_ms()))


def _overridden(cloud: Cloud, key: PhoneKey, lock: str) -> bool:
    """Say whether the server knows of a later guest at a door; the lock may not have heard of it yet."""
    return any(lock in other.doors and other.guest > key.guest for other in cloud.phone_keys.values())


def _doors(cloud: Cloud, call: Call) -> tuple[str, ...]:
    operations = call.fields.get("doorOperations")
    if not isinstance(operations, list) or not operations:
        raise Refused("bad_request")
    doors = [door for each in operations if each.get("operation") == "guest" for door in each["doors"]]
    return tuple(str(_door(cloud, door).lock_id) for door in doors)


def _door(cloud: Cloud, name: str) -> Door:
    door = cloud.door(name)
    if door is None:
        raise Refused("no_door")
    return door


def _instant(cloud: Cloud, told: str) -> int:
    try:
        local = datetime.strptime(told, FORM).replace(tzinfo=ZoneInfo(cloud.plan.operator.zone))
    except ValueError:
        raise Refused("bad_request") from None
    return (local - EPOCH) // MILLISECOND


def _shown(cloud: Cloud, key: PhoneKey) -> dict[str, Any]:
    end = (EPOCH + key.window.end * MILLISECOND).astimezone(ZoneInfo(cloud.plan.operator.zone))
    told = {"credentialId": key.key_id, "description": key.name, "endPointID": key.phone}
    return {**told, "expireTime": end.strftime(FORM), "doors": [*key.doors]}


OPERATIONS = (
    Operation("visionline/sessions", "POST", f"{API}/sessions", open_session, OPEN_TO_ALL, metered=False),
    Operation("visionline/doors", "GET", f"{API}/doors", list_doors, SIGNED_ONLY, metered=False),
    Operation("visionline/cards", "GET", f"{API}/cards", list_cards, SIGNED_ONLY, metered=False),
    Operation("visionline/add", "POST", f"{API}/cards", add_card, SIGNED_ONLY, metered=False),
)
