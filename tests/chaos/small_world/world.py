"""A small world: one hotel, its locks' vendor, the fleet on ports in memory, and the weather of one seed."""

import asyncio
from datetime import timedelta

from infra.local.ambient import SeededEntropy
from infra.local.world import LocalIds
from shared.ports.tasks import TaskExists
from shared.runtime.indexes import INDEXES
from shared.runtime.platform import Platform
from shared.vendor_kit.leases import DocumentLeases
from tests.chaos.small_world.bus import MemoryBus
from tests.chaos.small_world.documents import MemoryDocuments, Shelf
from tests.chaos.small_world.fate import Air
from tests.chaos.small_world.fleet import MemoryFleet, functions, subscriptions
from tests.chaos.small_world.sagas import MemorySagas
from tests.chaos.small_world.vault import MemoryCipher, MemorySecrets
from tests.chaos.small_world.weather import Weather

HALF_AN_HOUR, LOOK_EVERY = timedelta(minutes=30), timedelta(seconds=5)
MOST_TRIES = 60


class MemoryTasks:
    """Tasks that come when they are due, at least once."""

    def __init__(self, air, clock, call, spawn):
        self._air, self._clock, self._call, self._spawn = air, clock, call, spawn
        self._names = set()

    async def enqueue(self, task):
        """Keep a task and return its name."""
        await self._air.passes(f"tasks.enqueue {task.function}")
        name = task.name or f"task-{len(self._names)}"
        if name in self._names:
            raise TaskExists(name)
        self._names.add(name)
        self._spawn(self._perform(task))
        return name

    async def _perform(self, task):
        due = task.not_before or self._clock.now()
        await asyncio.sleep(max(0.0, (due - self._clock.now()).total_seconds()))
        for wait in range(MOST_TRIES):
            if await self._call(task.function, task.body):
                return
            await asyncio.sleep(wait)


class SmallWorld:
    """Everything there is; what is not in a shelf, a log or a journal dies with the fleet."""

    def __init__(self, clock, weather: Weather, furnished: Shelf, indexes=INDEXES):
        self.clock, self.weather = clock, weather
        self._things: dict[asyncio.Task, None] = {}
        self.fleet = MemoryFleet(weather, self.spawn)
        self.air = Air(weather, self.fleet.kill)
        self.main, self.sealed = furnished, Shelf()
        self.documents = MemoryDocuments(self.main, clock, indexes, self.air)
        self.secrets = MemorySecrets(self.air)
        self.entropy = SeededEntropy(weather.chance.getrandbits(64))
        self.ids = LocalIds(clock, self.entropy)
        self.bus = MemoryBus(subscriptions(), self.air, self.fleet.push, self.spawn)
        self.sagas = MemorySagas(self.air, clock, self.entropy, self.ids, self.fleet.send, self.spawn)
        if (
            weather.chance.random() < 0.5
        ):  # in the embedded cloud the sagas die with the fleet, on Google's they do not
            self.fleet.on_kill.append(self.sagas.crash)
        self.fleet.platform = self._platform(indexes)

    def spawn(self, coroutine):
        """Let something happen outside the fleet."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._things[task] = None
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task):
        self._things.pop(task, None)
        if not task.cancelled() and task.exception() is not None:
            raise task.exception()

    async def until_quiet(self):
        """Return once the storm is over and nothing is left to be done, after half an hour at the latest."""
        await asyncio.sleep(max(0.0, self.weather.climate.storm - self.weather.elapsed))
        end = self.clock.now() + HALF_AN_HOUR
        for _ in range(HALF_AN_HOUR // LOOK_EVERY):
            if self._quiet(end):
                return
            await asyncio.sleep(LOOK_EVERY.total_seconds())

    def _quiet(self, end):
        under_way = self._things or self.fleet.living or self.sagas.active
        return not (under_way or self.documents.due_by(end.timestamp() * 1000))

    async def sweep_each_minute(self):
        """Be the scheduler, until somebody ends this."""
        swept = [name for name, function in functions().items() if function.each_minute]
        while True:
            await asyncio.sleep(60)
            for name in swept:
                self.spawn(self.fleet.prompt(name))

    def _platform(self, indexes):
        return Platform(
            cell="local",
            documents=self.documents,
            sealed=MemoryDocuments(self.sealed, self.clock, indexes, self.air, "sealed"),
            bus=self.bus,
            tasks=MemoryTasks(self.air, self.clock, self.fleet.prompt, self.spawn),
            sagas=self.sagas,
            secrets=self.secrets,
            cipher=MemoryCipher(),
            leases=DocumentLeases(self.documents, self.clock),
            clock=self.clock,
            entropy=self.entropy,
            ids=self.ids,
            tokens=None,
            log=self.fleet.log,
        )
