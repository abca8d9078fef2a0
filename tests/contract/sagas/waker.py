"""What both settings of the port have: workflow files at work, and the endpoint that callbacks go to."""

import asyncio

import orjson

from infra.local.ambient import SystemClock
from infra.local.sagas.service import CallbackRefused
from shared.vendor_kit.http import Answer
from tests.contract.sagas.ground import Ground, Script
from tests.contract.sagas.port import SOURCES


class Attentive(Script):
    """A script that notices when a callback's address is told."""

    def __init__(self):
        super().__init__()
        self.told = asyncio.Event()

    async def send(self, call):
        if call.url.endswith("/tell"):
            self.url = orjson.loads(call.body)["url"]
            self.told.set()
        return await super().send(call)


class Waker:
    """A ground in real time, which remembers every callback that was sent."""

    def __init__(self, folder, wake=None):
        self.script, self.process, self.sent = Attentive(), None, []
        self.ground = Ground(folder, SystemClock(), SOURCES, script=self.script, wake=wake)

    async def begin(self):
        self.process = await self.ground.open()

    async def end(self):
        await self.process.die()

    def hold(self):
        """Keep whoever told its callback's address from going on to wait there."""
        self.script.held["tell"] = asyncio.Event()

    def let_go(self):
        self.script.held["tell"].set()

    async def told(self):
        """Return the address that was told."""
        async with asyncio.timeout(10):
            await self.script.told.wait()
        return self.script.url

    async def send(self, call):
        """Take a callback as the endpoint does, and answer as it does."""
        self.sent.append(call)
        execution, callback = call.url.split("/")[-2:]
        request = {"method": call.method, "body": orjson.loads(call.body), "headers": {}, "query": {}}
        try:
            await self.process.sagas.receive(execution, callback, {"http_request": {**request, "url": "/"}})
        except CallbackRefused as refusal:
            return Answer(refusal.status)
        return Answer(200)
