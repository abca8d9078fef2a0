"""The fleet's functions, called as the host calls them but without the wire; they die on demand."""

import asyncio
import base64
import importlib
import io
from contextvars import Context
from dataclasses import dataclass
from functools import cache

import orjson

from infra.local.workflows.outcomes import HttpFault, HttpResponse
from infra.manifest.load import load_manifest
from infra.manifest.triggers import ScheduleTrigger, TopicTrigger
from shared.kernel.log import Log
from shared.runtime import entry as runtime
from shared.runtime.platform import Deployed, deployed
from shared.runtime.responses import STATUS, error_response, json_response
from tests.chaos.small_world.fate import Invocation, Life, running
from tests.chaos.small_world.sagas import FLEET
from tests.chaos.small_world.weather import Weather

EVERY_MINUTE = "* * * * *"
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Function:
    """A deployable: its handler without the wire around it, and the subject it subscribes to."""

    deployed: Deployed
    handle: object
    timeout: float
    subject: str | None
    each_minute: bool


@cache
def functions():
    """Return every deployable of the manifest, by name."""
    return {name: _function(each) for name, each in load_manifest().functions.items()}


def _function(found):
    handler = getattr(importlib.import_module(found.module), found.entry_point)
    trigger, deployable = found.deployable.trigger, found.deployable
    return Function(
        deployed=Deployed(found.name, f"{FLEET}/{found.name}", opens=frozenset(deployable.opens)),
        handle=handler.__wrapped__,
        timeout=float(deployable.timeout),
        subject=trigger.topic if isinstance(trigger, TopicTrigger) else None,
        each_minute=isinstance(trigger, ScheduleTrigger) and trigger.schedule == EVERY_MINUTE,
    )


def subscriptions():
    """Return the names of each topic's subscribers."""
    found = {}
    for name, function in functions().items():
        if function.subject is not None:
            found.setdefault(function.subject, []).append(name)
    return found


class NoAnswer(Exception):
    """A call was never heard of again; its `kind` is the workflows' word for how."""

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind


class MemoryFleet:
    """Everything that runs, and the way to end it."""

    def __init__(self, weather: Weather, spawn):
        self.weather, self._spawn = weather, spawn
        self.words = io.StringIO()
        self.log = Log("keyfleet", self.words)
        self.platforms = []
        self.living: dict[Invocation, None] = {}
        self.up, self._life = True, Life()
        self.on_kill = []
        self._count = 0

    def kill(self):
        """End every call that is under way; the fleet comes back after a while."""
        self.up, self._life.over = False, True
        for invocation in list(self.living):
            invocation.die()
        for also in self.on_kill:
            also()
        self._spawn(self._come_back())

    async def _come_back(self):
        await asyncio.sleep(self.weather.chance.uniform(0, 10))
        self.up, self._life = True, Life()
        self.weather.note("fleet", "is back")

    async def push(self, name, kept):
        """Deliver a message, and return the status that the bus hears."""
        message = {
            "data": base64.b64encode(kept.message.data).decode(),
            "attributes": dict(kept.message.attributes),
            "messageId": str(kept.number),
            "orderingKey": kept.message.ordering_key,
        }
        body = orjson.dumps({"message": message, "subscription": f"projects/test/subscriptions/{name}"})
        try:
            return (await self.call(name, body)).status_code
        except NoAnswer:
            return 0

    async def prompt(self, name, body=None):
        """Call a function as a schedule or a task does, and return whether it did its work."""
        try:
            return (await self.call(name, orjson.dumps(dict(body or {})))).status_code < 300
        except NoAnswer:
            return False

    async def send(self, request):
        """Make a workflow's call, and return its outcome."""
        name = request.url.removeprefix(f"{FLEET}/")
        try:
            async with asyncio.timeout(request.timeout):
                answer = await self.call(name, request.body or b"")
        except NoAnswer as silence:
            return HttpFault(silence.kind)
        except TimeoutError:
            return HttpFault("timeout")
        return HttpResponse(answer.status_code, JSON, bytes(answer.body))

    async def call(self, name, body):
        """Call a function as whoever is impatient and far away; it goes on when its caller does not wait."""
        weather = self.weather
        if not self.up or weather.strikes("call-lost"):
            raise NoAnswer("connection_failed")
        invocation = self._begin(name, body)
        patience = weather.chance.uniform(0, 3) if weather.strikes("hung-up") else None
        done, _ = await asyncio.wait([invocation.task], timeout=patience)
        if not done:
            raise NoAnswer("timeout")
        if invocation.dead or invocation.task.cancelled() or weather.strikes("answer-lost"):
            raise NoAnswer("connection_broken")
        return invocation.task.result()

    def _begin(self, name, body):
        self._count += 1
        invocation = Invocation(f"{name}#{self._count}", self._life)
        self.living[invocation] = None
        loop = asyncio.get_running_loop()
        invocation.task = loop.create_task(
            self._serve(functions()[name], invocation, body), context=Context()
        )
        invocation.task.add_done_callback(lambda _: self.living.pop(invocation, None))
        return invocation

    async def _serve(self, function, invocation, body):
        running.set(invocation)
        deployed.set(function.deployed)
        try:
            async with asyncio.timeout(function.timeout):
                answer = await self._answered(function, body, self.weather.chance.choice(self.platforms))
        except TimeoutError:
            answer = json_response({"error": {"kind": "FunctionTimeout"}}, 504)
        self.weather.note(invocation.name, f"answers {answer.status_code} {bytes(answer.body)[:200]!r}")
        return answer

    async def _answered(self, function, body, on):
        try:
            if function.subject is None:
                return json_response(await function.handle(runtime._arguments(body), on))
            subscribed = function.subject, function.handle, runtime._quarantine
            return await runtime._receive(body, subscribed, function.deployed, on)
        except tuple(STATUS) as error:
            return error_response(error)
        except Exception as error:  # noqa: BLE001 - as the runtime does: a crash is answered, and told
            self.log.failure("the function crashed", error)
            self.weather.note("crash", repr(error))
            return error_response(error)
