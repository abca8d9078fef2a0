"""An integrator who calls the simulator in process, with a clock that only we move."""

from datetime import UTC, datetime, timedelta
from hashlib import md5
from random import Random
from urllib.parse import parse_qsl, urlencode

import orjson

from infra.simulators.kit.world import SimWorld
from infra.simulators.ttlock.app import ttlock_app

NINE = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)  # 13:30 in Kabul
HOUR, DAY = 3_600_000, 86_400_000
ROOM, OTHER_ROOM, UPSTAIRS = 1000101, 1000102, 1000203
FORM = "application/x-www-form-urlencoded"


class Integrator:
    """Calls the simulator in process, as an adapter or as a tester would."""

    def __init__(self, seed=1, **world):
        self.present, self.slept, self.gate, self.posted = NINE, [], None, []
        self.callback_answer = (200, b"success")
        options = {"now": lambda: self.present, "sleep": self._sleep, "post": self._post, **world}
        self.app = ttlock_app(SimWorld(chance=Random(seed), **options))
        self.identity = {"clientId": "sim-client"}

    @property
    def ms(self):
        """The present as the wire has it."""
        return int(self.present.timestamp() * 1000)

    def wait(self, **time):
        """Let time pass."""
        self.present += timedelta(**time)

    async def _sleep(self, seconds):
        self.slept.append(seconds)
        if self.gate is not None:
            await self.gate.wait()

    async def _post(self, url, _headers, body):
        self.posted.append((url, dict(parse_qsl(body.decode(), keep_blank_values=True))))
        if isinstance(self.callback_answer, OSError):
            raise self.callback_answer
        return self.callback_answer

    async def raw(self, method, path, body=b"", query=b"", headers=()):
        """Send a request as bytes; return status, headers and body."""
        sent = []

        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query,
            "headers": [(k.encode(), v.encode()) for k, v in headers],
        }
        await self.app(scope, receive, send)
        return sent[0]["status"], dict(sent[0]["headers"]), b"".join(m["body"] for m in sent[1:])

    async def get(self, path, **fields):
        """Query, signed in; a field of None is left out."""
        return self._json(await self.raw("GET", path, query=self._form(fields)))

    async def post(self, path, **fields):
        """Command, signed in."""
        headers = [("content-type", FORM)]
        return self._json(await self.raw("POST", path, body=self._form(fields), headers=headers))

    async def login(self, username="owner", password="sim-password", **fields):
        """Sign in."""
        fields["password"] = md5(password.encode()).hexdigest()
        token = await self.token(username=username, **fields)
        self.identity["accessToken"] = token["access_token"]
        return token

    async def token(self, **fields):
        """Ask for a token."""
        return await self.post("/oauth2/token", **{"clientSecret": "sim-secret", **fields})

    async def add_pin(self, pin="482913", lock=ROOM, hours=(0, 24), **fields):
        """Add a custom passcode, over the gateway unless said otherwise."""
        start, end = (self.ms + hour * HOUR for hour in hours)
        fields = {"keyboardPwdName": f"name {pin}", "addType": 2, **fields}
        return await self.post(
            "/v3/keyboardPwd/add", lockId=lock, keyboardPwd=pin, startDate=start, endDate=end, **fields
        )

    async def pins(self, lock=ROOM, **fields):
        """List a lock's passcodes."""
        fields = {"pageNo": 1, "pageSize": 200, **fields}
        return (await self.get("/v3/lock/listKeyboardPwd", lockId=lock, **fields))["list"]

    async def control(self, method, path, body=None, token=None):
        """Use the control plane."""
        headers = [("authorization", f"Bearer {token}")] if token else []
        path, _, query = path.partition("?")
        raw = await self.raw(method, f"/_sim{path}", orjson.dumps(body), query.encode(), headers)
        return raw[0], orjson.loads(raw[2] or b"null")

    async def try_door(self, lock=ROOM, **what):
        """Try a door; return why it opens or stays shut."""
        status, answer = await self.control("POST", f"/doors/{lock}/try", what)
        assert status == 200
        assert answer["opens"] == (answer["reason"] == "open")
        return answer["reason"]

    def _form(self, fields):
        every = {**self.identity, "date": self.ms, **fields}
        return urlencode({name: value for name, value in every.items() if value is not None}).encode()

    def _json(self, answer):
        status, headers, body = answer
        assert status == 200, answer
        assert headers[b"content-type"].startswith(b"application/json")
        return orjson.loads(body)
