"""What lies between Google's services and our functions: addresses, and tokens that Google signs."""

import asyncio

import orjson

from infra.local.transport import InProcess
from shared.gcp.identity import CERTIFICATES
from shared.runtime.platform import deployed
from shared.vendor_kit.http import Call
from tests.emulators.signing import Google, Signer

CALLBACKS = "https://workflowexecutions.googleapis.com/v1/projects/1/locations/europe-west6/callbacks/"
EMBEDDED_CALLBACKS = "/_cloud/callbacks/"


class Internet:
    """Carries a call to the function, the callback endpoint or Google's certificates, by its address."""

    def __init__(self, settings, clock, functions):
        self._settings, self._clock = settings, clock
        self._functions = {
            settings.url_of(name): InProcess(_alone(hosted)) for name, hosted in functions.items()
        }
        self._signer = Signer("google")
        self._google = Google(self._signer)
        self.waker, self.log, self.handed_over = None, [], asyncio.Event()

    async def send(self, call):
        if call.url == CERTIFICATES:
            return await self._google.send(call)
        if call.url.startswith(CALLBACKS):
            return await self.waker.send(call)
        return await self._call_function(call)

    async def close(self):
        for function in self._functions.values():
            await function.close()

    async def _call_function(self, call):
        answer = await self._functions[call.url].send(self._signed(call))
        self.log.append((call.url.rpartition("/")[2], answer.status))
        if call.url.endswith("probe-handover"):
            self.handed_over.set()
        return answer

    def _signed(self, call):
        # What our fakes put for a token names the caller; from here on it is one that Google signed.
        named = call.headers["authorization"].removeprefix("Bearer ").partition(">")[0].rstrip("-")
        email = self._settings.email_of(named.partition("@")[0])
        token = self._signer.token(self._clock, email, call.url)
        return Call(
            call.method, call.url, {**call.headers, "authorization": f"Bearer {token}"}, _googled(call)
        )


def _googled(call):
    """Return the body with the callback's address as Workflows would have made it."""
    body = orjson.loads(call.body)
    if "callback_url" in body:
        body["callback_url"] = CALLBACKS + body["callback_url"].partition(EMBEDDED_CALLBACKS)[2]
    return orjson.dumps(body)


def _alone(hosted):
    """Return a function as it is when it is the only one of its process."""

    async def app(scope, receive, send):
        deployed.set(hosted.deployed)
        await hosted.app(scope, receive, send)

    return app
