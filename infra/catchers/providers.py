"""An SMS provider in Twilio's words and a push service in FCM's, which deliver to an outbox and tell of it.

A number or device may be unlucky by its name, and the next calls by what was planned for them:

| address or fault | what happens |
|---|---|
| `+...0001`, `opted_out` | refused: the guest wants no messages |
| `+...0002`, `undelivered` | taken, and told of as undelivered |
| `+...0003`, `silent` | taken, and never told of |
| `status_first` | the status comes before the answer |
| `twice` | the status comes twice |
| `slow`, `broken` | taken, and the answer never comes; answered as a crash |
| `sim-unregistered`, `sim-quota`, `sim-silent` | push: the app is gone; too many; no receipt |
"""

import base64
import hashlib
import hmac
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.catchers.outbox import MOST, Outbox

Tell = Callable[[str, Mapping[str, str], bytes], Awaitable[None]]
"""Makes a call to whoever wants to know what became of a message."""
FCM_ERROR: Final = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
_UNLUCKY: Final = {"0001": "opted_out", "0002": "undelivered", "0003": "silent"}
_FCM: Final = {"sim-unregistered": (404, "UNREGISTERED"), "sim-quota": (429, "QUOTA_EXCEEDED")}


class Providers:
    """Both, with one account each."""

    def __init__(self, outbox: Outbox, tell: Tell, account: str, token: str) -> None:
        self.outbox, self.faults = outbox, defaultdict[str, deque[str]](deque)
        self._tell, self._account, self._token = tell, account, token
        self._sent: deque[dict[str, str]] = deque(maxlen=MOST)

    @property
    def routes(self) -> list[Route]:
        """What is served."""
        messages = "/2010-04-01/Accounts/{account}/Messages.json"
        return [
            Route(messages, self.sms, methods=["POST"]),
            Route(messages, self.sms_sent, methods=["GET"]),
            Route("/token", self.token, methods=["POST"]),
            Route("/v1/projects/{project}/messages:send", self.push, methods=["POST"]),
        ]

    async def sms(self, request: Request) -> Response:
        """Take an SMS."""
        if not self._is_known(request):
            return _json({"code": 20003, "message": "authenticate"}, 401)
        form = dict(parse_qsl((await request.body()).decode(), keep_blank_values=True))
        fault = self._next("sms") or _UNLUCKY.get(form["To"][-4:], "")
        if fault == "opted_out":
            return _json({"code": 21610, "message": "unsubscribed", "status": 400}, 400)
        if fault == "busy":
            return _json({"code": 20429, "message": "too many", "status": 429}, 429, {"retry-after": "90"})
        caught = self.outbox.add("sms", form["To"], sender=form["From"], text=form["Body"])
        sent = {"sid": f"SM{caught.number:032d}", "to": form["To"], "from": form["From"], "status": "queued"}
        self._sent.append(sent)
        if fault in ("slow", "broken"):
            return Response(status_code=500)
        await self._told(form["StatusCallback"], sent["sid"], fault)
        return _json({**sent, "num_segments": "1"}, 201)

    async def sms_sent(self, request: Request) -> Response:
        """List what was sent to a number."""
        if not self._is_known(request):
            return _json({"code": 20003, "message": "authenticate"}, 401)
        to = request.query_params.get("To")
        return _json({"messages": [each for each in self._sent if each["to"] == to]})

    async def token(self, request: Request) -> Response:
        """Give an access token for an assertion."""
        form = dict(parse_qsl((await request.body()).decode()))
        if len(form.get("assertion", "").split(".")) != 3:
            return _json({"error": "invalid_grant"}, 400)
        return _json({"access_token": self._token, "expires_in": 3600, "token_type": "Bearer"})

    async def push(self, request: Request) -> Response:
        """Take a push, and be the guest's app that shows it."""
        if request.headers.get("authorization") != f"Bearer {self._token}":
            return _json({"error": {"code": 401, "status": "UNAUTHENTICATED"}}, 401)
        told = orjson.loads(await request.body())["message"]
        device, fault = str(told.get("fid") or told.get("token")), self._next("push")
        if device in _FCM:
            status, code = _FCM[device]
            return _json(
                {"error": {"code": status, "details": [{"@type": FCM_ERROR, "errorCode": code}]}}, status
            )
        shown, data = told["notification"], told["data"]
        caught = self.outbox.add("push", device, subject=shown["title"], text=shown["body"], data=data)
        if device != "sim-silent" and fault != "silent":
            receipt = orjson.dumps({"receipt": data["receipt"]})
            await self._tell(data["receipt_url"], {"content-type": "application/json"}, receipt)
        return _json({"name": f"projects/{request.path_params['project']}/messages/{caught.number}"})

    def _next(self, channel: str) -> str:
        return self.faults[channel].popleft() if self.faults[channel] else ""

    def _is_known(self, request: Request) -> bool:
        expected = base64.b64encode(f"{self._account}:{self._token}".encode()).decode()
        return request.headers.get("authorization") == f"Basic {expected}"

    async def _told(self, url: str, sid: str, fault: str) -> None:
        """Tell what became of an SMS, as often and in the order that was planned."""
        if fault == "silent":
            return
        last = "undelivered" if fault == "undelivered" else "delivered"
        words = [last, "sent"] if fault == "status_first" else ["sent", last]
        for word in words * 2 if fault == "twice" else words:
            form = {"MessageSid": sid, "MessageStatus": word, "AccountSid": self._account}
            said = url + "".join(f"{name}{form[name]}" for name in sorted(form))
            signed = hmac.digest(self._token.encode(), said.encode(), hashlib.sha1)
            headers = {
                "content-type": "application/x-www-form-urlencoded",
                "x-twilio-signature": base64.b64encode(signed).decode(),
            }
            await self._tell(url, headers, urlencode(form).encode())


def _json(said: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(orjson.dumps(said), status, dict(headers or {}), media_type="application/json")
