"""What lies between Google's services and our functions: addresses, and tokens that Google signs."""

import asyncio

import orjson

from infra.emulated.signing import Google, Signer
from infra.local.transport import InProcess
from shared.gcp.identity import CERTIFICATES
from shared.runtime.platform import deployed
from shared.vendor_kit.http import Call

CALLBACKS = "https://workflowexecutions.googleapis.com/v1/projects/1/locations/europe-west6/callbacks/"
EMBEDDED_CALLBACKS = "/_cloud/callbacks/"


class Internet:
    """Carries a call by its address: to a function, or to whoever else lives there."""

    def __init__(self, settings, clock, functions):
        self._settings, self._clock = settings, clock
        self._functions = {
            settings.url_of(name): InProcess(_alone(hosted)) for name, hosted in functions.items()
        }
        self._signer = Signer("google")
        self.neighbours = {CERTIFICATES: Google(self._signer)}
        self.log, self.handed_over, self._under_way = [], asyncio.Event(), 0

    async def send(self, call):
        for address, neighbour in self.neighbours.items():
            if call.url.startswith(address):
                return await neighbour.send(call)
        return await (self._call_function(call) if call.url in self._functions else self._pass_on(call))

    async def call(self, function, body=b"", *, caller):
        """Call a function as a service account of the project."""
        headers = {"authorization": f"Bearer {caller}", "content-type": "application/json"}
        return await self.send(Call("POST", self._settings.url_of(function), headers, body, timeout=60))

    async def visit(self, function, path, token, method="GET", body=b"", headers=None):
        """Ask a path of a function as somebody from outside, whose token is passed on as it came."""
        named = {"authorization": f"Bearer {token}"} if token else {}
        call = Call(method, self._settings.base_url + path, {**(headers or {}), **named}, body, timeout=60)
        return await self._functions[self._settings.url_of(function)].send(call)

    async def _pass_on(self, call):
        """Call a path of a function as somebody's own program does, with the token that it was given."""
        address = self._settings.base_url
        name, _, path = call.url.removeprefix(f"{address}/").partition("/")
        inside = Call(call.method, f"{address}/{path}", call.headers, call.body, call.timeout)
        return await self._functions[self._settings.url_of(name)].send(inside)

    async def quiet(self):
        """Return once no function is at work."""
        while self._under_way:  # noqa: ASYNC110 - a matter of milliseconds, and nobody to tell us
            await asyncio.sleep(0.002)

    async def close(self):
        for function in self._functions.values():
            await function.close()

    def answers_of(self, function):
        """Return the statuses that a function answered with, in order."""
        return [status for name, status in self.log if name == function]

    async def _call_function(self, call):
        self._under_way += 1
        try:
            answer = await self._functions[call.url].send(self._signed(call))
        finally:
            self._under_way -= 1
        self.log.append((call.url.rpartition("/")[2], answer.status))
        if call.url.endswith("probe-handover"):
            self.handed_over.set()
        return answer

    def _signed(self, call):
        # What our fakes put for a token names the caller; from here on it is one that Google signed.
        named = call.headers["authorization"].removeprefix("Bearer ").partition(">")[0].rstrip("-")
        email = self._settings.email_of(named.partition("@")[0])
        token = self._signer.token(self._clock, email, call.url)
        headers = {**call.headers, "authorization": f"Bearer {token}"}
        return Call(call.method, call.url, headers, _googled(call.body), call.timeout)


def _googled(body):
    """Return the body with the callback's address as Workflows would have made it."""
    if b"callback_url" not in body:
        return body
    told = orjson.loads(body)
    told["callback_url"] = CALLBACKS + told["callback_url"].partition(EMBEDDED_CALLBACKS)[2]
    return orjson.dumps(told)


def _alone(hosted):
    """Return a function as it is when it is the only one of its process."""

    async def app(scope, receive, send):
        deployed.set(hosted.deployed)
        await hosted.app(scope, receive, send)

    return app
