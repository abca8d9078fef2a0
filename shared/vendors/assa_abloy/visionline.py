"""Visionline's Web API: sessions, signed requests, doors, and keys on phones (`facts` [A1], decision 0089).

How a request is signed, with the access key of a session:

1. The body's MD5 in base64; nothing without a body.
2. Method, MD5, content type (nothing without a body), date, path with query: one a line.
3. `Authorization: AWS <session>:<base64 of HMAC-SHA1(access key, those lines)>`.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import orjson

from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.asks import Ask, Json
from shared.vendor_kit.carried_keys import Carried, Made, NewCarried
from shared.vendor_kit.guard import VendorDown
from shared.vendor_kit.http import Answer, Call
from shared.vendor_kit.json_protocol import QUERIED
from shared.vendor_kit.oauth import Proof, TokenReader
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import Unreadable, VendorRefused
from shared.vendor_kit.tokens import VendorToken

API: Final = "/api/v1"
TYPE: Final = "application/json; charset=utf-8"
FORM: Final = "%Y%m%dT%H%M"
SESSION_SECONDS: Final = 900
"""How long a session is used; nobody says how long one lasts, and a refused one is opened anew."""
OVERRIDING: Final[Mapping[bool, str]] = {True: "override", False: "autoJoin"}


def signature(access_key: str, lines: Sequence[str]) -> str:
    """Return what proves that a request is a session's own."""
    signed = hmac.new(access_key.encode(), "\n".join(lines).encode(), hashlib.sha1)
    return base64.b64encode(signed.digest()).decode()


class VisionlineProtocol:
    """Speaks signed JSON to a hotel's own server; its lists are bare arrays."""

    def __init__(self, base_url: str, clock: Clock) -> None:
        self._base_url, self._clock = base_url, clock

    def named(self, ask: Ask[Any]) -> str:
        """Return the method and what it is about; a query may name a guest's door."""
        return f"{ask.method} {ask.path.removeprefix(API).partition('?')[0].strip('/')}"

    def prepared(self, ask: Ask[Any], access: Secret[str] | None) -> Call:
        """Return a request, signed unless it asks for a session."""
        queried = ask.method in QUERIED
        path = f"{ask.path}?{urlencode(ask.params)}" if queried and ask.params else ask.path
        body = b"" if queried else orjson.dumps(dict(ask.params))
        headers = {"date": format_datetime(self._clock.now().astimezone(UTC), usegmt=True)}
        if body:
            digest = hashlib.md5(body).digest()  # noqa: S324 - as the interface wants it
            headers |= {"content-md5": base64.b64encode(digest).decode(), "content-type": TYPE}
        if access is not None:
            session, _, key = access.reveal().partition(":")
            signed = [headers.get(name, "") for name in ("content-md5", "content-type", "date")]
            headers["authorization"] = f"AWS {session}:{signature(key, [ask.method, *signed, path])}"
        return Call(ask.method, f"{self._base_url}{path}", headers, body, ask.timeout)

    def content(self, answer: Answer) -> Json:
        """Return what an answer holds, whatever kind of JSON it is."""
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise VendorDown("the server says that it is broken")
        try:
            return orjson.loads(answer.body or b"{}")
        except ValueError:
            if answer.status >= HTTPStatus.BAD_REQUEST:
                return {}
            raise Unreadable("the answer is no JSON") from None

    def judge(self, answer: Answer, content: Json) -> None:  # noqa: ARG002 - error bodies are described nowhere
        """Refuse what is no yes, by its status."""
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise VendorRefused(f"{answer.status}")


def open_session(proof: Proof, read: TokenReader) -> Ask[VendorToken]:
    """Open a session: its id and its access key together are what a token is elsewhere."""

    def session(answer: Json) -> VendorToken:
        pair = f"{answer['id']}:{answer['accessKey']}"
        return read({"access_token": pair, "expires_in": SESSION_SECONDS})

    return Ask("POST", f"{API}/sessions", proof, session)


def list_doors() -> Ask[Sequence[str]]:
    """List the names of the hotel's doors."""
    return Ask("GET", f"{API}/doors", {}, _each(lambda row: str(row["id"])))


def list_keys(door: str, at: datetime, zone: ZoneInfo) -> Ask[Sequence[Carried]]:
    """List the guests' keys that are good at a door at a time of the hotel's own clock."""
    params = {"guestDoor": door, "validTime": _told(at, zone)}
    return Ask("GET", f"{API}/cards", params, _each(lambda row: _key(row, zone)))


def add_key(new: NewCarried, zone: ZoneInfo) -> Ask[Secret[str]]:
    """Put a key on a phone; from then on it opens, whatever the stay's first day."""
    operation = {"operation": "guest", "doors": [new.door]}
    params = {
        "expireTime": _told(new.bounds.end, zone),
        "format": "rfid48",
        "endPointID": new.secret.reveal(),
        "label": "%ROOMRANGE%:%UUID%:%CARDNUM%",
        "description": new.name,
        "doorOperations": [operation],
    }
    path = f"{API}/cards?action=mobileAccess&{OVERRIDING[new.overrides]}=true"
    return Ask("POST", path, params, lambda answer: Secret(str(answer["credentialId"])))


def _told(instant: datetime, zone: ZoneInfo) -> str:
    return instant.astimezone(zone).strftime(FORM)


def _key(row: Json, zone: ZoneInfo) -> Carried:
    end = datetime.strptime(row["expireTime"], FORM).replace(tzinfo=zone).astimezone(UTC)
    phone = Secret(str(row.get("endPointID") or ""))
    return Carried(Secret(str(row["credentialId"])), str(row.get("description") or ""), phone, end)


def _each(read: Callable[[Json], Any]) -> Callable[[Json], Sequence[Any]]:
    def rows(answer: Json) -> Sequence[Any]:
        if not isinstance(answer, list):
            raise TypeError("a list")
        return tuple(map(read, answer))

    return rows


class PhoneKeys:
    """Makes keys on guests' phones at one hotel's own server."""

    def __init__(self, api: VendorApi, clock: Clock, zone: ZoneInfo) -> None:
        self._api, self._clock, self._zone = api, clock, zone

    async def doors(self) -> Sequence[str]:
        """Return the doors that it knows."""
        return await self._api.ask(list_doors(), Urgency.POLL)

    async def good_at(self, door: str) -> Sequence[Carried]:
        """Return the guests' keys that are good at a door now."""
        return await self._api.ask(list_keys(door, self._clock.now(), self._zone), Urgency.ISSUE)

    async def make(self, new: NewCarried) -> Made:
        """Put a key on a phone."""
        return Made(await self._api.ask(add_key(new, self._zone), Urgency.ISSUE))

    async def take_back(self, door: str, ref: Secret[str]) -> bool:  # noqa: ARG002 - the protocol's shape
        """Say no: there is no call that takes a key from a phone."""
        return False
