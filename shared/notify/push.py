"""Pushes by FCM's v1 API: an access token by a signed assertion, one message, and what its errors mean."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from shared.notify.accounts import PushAccount
from shared.notify.answers import answered, put_off_by, said_in, seconds_in
from shared.notify.signed_jwt import KeyUnreadable, signed_jwt
from shared.ports.ambient import Clock
from shared.ports.messengers import NotNow, PushMessage, Refused
from shared.vendor_kit.http import Answer, Call, Http

SCOPE: Final = "https://www.googleapis.com/auth/firebase.messaging"
GRANT: Final = "urn:ietf:params:oauth:grant-type:jwt-bearer"
LIFE: Final = 3600
SPARE: Final = timedelta(minutes=5)
TIMEOUT: Final = 15.0
ERROR_TYPE: Final = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
_NEVER: Final[Mapping[str, str]] = {
    "UNREGISTERED": "app_gone",
    "SENDER_ID_MISMATCH": "other_app",
    "INVALID_ARGUMENT": "no_such_device",
}


class FcmCarrier:
    """One tenant's app."""

    def __init__(self, account: PushAccount, http: Http, clock: Clock) -> None:
        self._account, self._http, self._clock = account, http, clock
        self._token, self._until = "", clock.now()

    async def send(self, message: PushMessage) -> str:
        """Hand a push over; that it arrived, the guest's app alone can tell."""
        token = await self._access()
        url = f"{self._account.address}/v1/projects/{self._account.project}/messages:send"
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        body = orjson.dumps({"message": _message(message, self._clock.now())})
        said = _read(await answered(self._http, Call("POST", url, headers, body, TIMEOUT)))
        return str(said.get("name", ""))

    async def _access(self) -> str:
        now = self._clock.now()
        if self._token and now < self._until:
            return self._token
        form = {"grant_type": GRANT, "assertion": self._assertion(now)}
        headers = {"content-type": "application/x-www-form-urlencoded"}
        call = Call(
            "POST", f"{self._account.token_address}/token", headers, urlencode(form).encode(), TIMEOUT
        )
        answer = await answered(self._http, call)
        said = said_in(answer)
        if answer.status != 200 or not isinstance(said.get("access_token"), str):
            raise NotNow("account_refused")
        lasts = seconds_in(str(said.get("expires_in", LIFE)))
        if lasts is None:
            raise NotNow("answer_unreadable")
        self._token, self._until = str(said["access_token"]), now + lasts - SPARE
        return self._token

    def _assertion(self, now: datetime) -> str:
        """Return who we are, signed by the service account's key (RFC 7523)."""
        issued = int(now.timestamp())
        claims = {
            "iss": self._account.email,
            "scope": SCOPE,
            "aud": f"{self._account.token_address}/token",
            "iat": issued,
            "exp": issued + LIFE,
        }
        try:
            return signed_jwt(claims, self._account.key)
        except KeyUnreadable:
            raise NotNow("account_unreadable") from None


def _message(message: PushMessage, now: datetime) -> dict[str, Any]:
    """Return a push that is shown at once or not at all: an old one would tell of a key of before."""
    lasts = int(message.lasts.total_seconds())
    expires = str(int((now + message.lasts).timestamp()))
    return {
        message.address_kind: message.to.reveal(),
        "notification": {"title": message.title, "body": message.body},
        "data": dict(message.data),
        "android": {"priority": "high", "ttl": f"{lasts}s"},
        "apns": {"headers": {"apns-priority": "10", "apns-expiration": expires}},
        "webpush": {"headers": {"Urgency": "high", "TTL": str(lasts)}},
    }


def _read(answer: Answer) -> Mapping[str, Any]:
    said = said_in(answer)
    if answer.status == 200:
        return said
    code = _code(said)
    if code in _NEVER:
        raise Refused(_NEVER[code])
    raise put_off_by(answer)


def _code(said: Mapping[str, Any]) -> str:
    """Return FCM's own word; `INVALID_ARGUMENT` without one is a fault of ours, and no address's."""
    error = said.get("error")
    details = error.get("details", []) if isinstance(error, dict) else []
    named = (each for each in details if isinstance(each, dict) and each.get("@type") == ERROR_TYPE)
    return next((str(each.get("errorCode", "")) for each in named), "")
