"""A small world: one hotel, its locks' vendor, the fleet on ports in memory, and the weather of one seed."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from infra.local.ambient import SeededEntropy
from infra.local.simulation.loop import VirtualClock
from shared.domain.capabilities import LockCapabilities
from shared.domain.ids import minted_at
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.kernel.ids import DrawnIds
from shared.ports.tasks import TaskExists
from shared.runtime.indexes import INDEXES
from shared.runtime.platform import Platform
from shared.vendor_kit.guard import GuardPolicy, Guards, Shared
from shared.vendor_kit.leases import DocumentLeases
from tests.chaos.small_world.bus import MemoryBus
from tests.chaos.small_world.documents import MemoryDocuments, Table
from tests.chaos.small_world.fate import Air
from tests.chaos.small_world.fleet import MemoryFleet, functions, subscriptions
from tests.chaos.small_world.hotel import House, furnished
from tests.chaos.small_world.sagas import MemorySagas
from tests.chaos.small_world.scene import KeyAtDoor
from tests.chaos.small_world.vault import MemoryCipher, MemorySecrets
from tests.chaos.small_world.weather import Weather
from tests.chaos.small_world.witness import Witness

HALF_AN_HOUR, LOOK_EVERY = timedelta(minutes=30), timedelta(seconds=5)
MOST_TRIES = 60


class Doors(Protocol):
    """A vendor and its locks: `vendor` and `account` say which, the rest is what happens there."""

    vendor: VendorCode
    account: Secret[bytes]
    policy: GuardPolicy | None
    """How hard it may be used, where it says so itself."""
    able: LockCapabilities | None
    """What its locks can do, if not what the sample's can."""
    workers: int
    """How many processes there are, at the least."""

    def __init__(self, air: Air, clock, spawn): ...

    def at_doors(self) -> Iterable[KeyAtDoor]:
        """Return the keys in the locks."""

    def move_in(self, on: Platform) -> None:
        """Tell a process of the fleet how to reach this vendor, unless by http."""


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


@dataclass(frozen=True, slots=True)
class SkewedClock:
    """The clock of one machine."""

    true: VirtualClock
    ahead: timedelta

    def now(self):
        """What it shows."""
        return self.true.now() + self.ahead


class SmallWorld:
    """Everything there is; what is not in a shelf, a log or a journal dies with the fleet."""

    def __init__(self, clock, weather: Weather, doors: type[Doors]):
        self.clock, self.weather = clock, weather
        weather.time = asyncio.get_running_loop().time
        self._things: dict[asyncio.Task, None] = {}
        self.broken: list[BaseException] = []
        self.fleet = MemoryFleet(weather, self.spawn)
        self.air = Air(weather, self.fleet.kill)
        self.house = House(doors.vendor, weather.chance.random() < 0.5, doors.able)
        self.main, self.sealed = furnished(self.house), Table()
        self.doors = doors(self.air, clock, self.spawn)
        self.doors.prompt = self.fleet.prompt
        self.witness = Witness(self.doors.at_doors)
        self.documents = MemoryDocuments(self.main, clock, INDEXES, self.air)
        self.secrets = MemorySecrets(self.air)
        self.entropy = SeededEntropy(weather.chance.getrandbits(64))
        self.ids = DrawnIds(clock.now, self.entropy.token)
        self.bus = MemoryBus(subscriptions(), self.air, self.fleet.push, self.spawn)
        self.sagas = MemorySagas(self.air, clock, self.entropy, self.ids, self.fleet.send, self.spawn)
        self.secrets.keep(f"lock-{doors.vendor}-tnt_silk-ppt_kabul-api", doors.account)
        # In the embedded cloud sagas die with the fleet, which is one process; on Google's they do not.
        if weather.chance.random() < 0.5:
            self.fleet.on_kill.append(self.sagas.crash)
        self._rolling_out = weather.chance.random() < 0.3
        self._workers = max(weather.chance.choice((1, 2)), doors.workers)
        self.fleet.on_kill.append(self._hire)
        self._hire()

    def _hire(self):
        """Start processes that remember nothing."""
        self.fleet.platforms = [self._platform() for _ in range(self._workers)]

    def spawn(self, coroutine):
        """Let something happen outside the fleet."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._things[task] = None
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task):
        self._things.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.broken.append(error)

    async def until_quiet(self):
        """Return when nothing is left to be done; half an hour after the storm at the latest.

        Only a key that stands in for one that failed has half an hour of its own, which may end later.
        """
        left = max(0.0, self.weather.climate.storm - self.weather.time())
        end = self.clock.now() + timedelta(seconds=left) + HALF_AN_HOUR
        for _ in range((end - self.clock.now()) // LOOK_EVERY):
            if self._quiet(end):
                break
            await asyncio.sleep(LOOK_EVERY.total_seconds())
        late = self._made_anew()
        while late and self.clock.now() < end + HALF_AN_HOUR:
            await asyncio.sleep(LOOK_EVERY.total_seconds())
            late = self._made_anew() or self._things or self.fleet.living or self.sagas.active

    def _made_anew(self):
        """Say whether a key that was requested anew, less than half an hour ago, is under way.

        It may be made already, while locks still have to let go of what was tried before.
        """
        now = self.clock.now()
        oldest, soon = ((now + each).timestamp() * 1000 for each in (-HALF_AN_HOUR, HALF_AN_HOUR))
        rows = self.main.rows.get(("tnt_silk", "credentials"), {}).items()
        anew = [row.values for id_, row in rows if row.values.get("revival") and minted_at(id_) > oldest]
        owing = [each for each in anew if each.get("due_at")]
        return any(
            each["credential"]["state"]["type"] in {"requested", "pending"} or each["due_at"] < soon
            for each in owing
        )

    def _quiet(self, end):
        under_way = self._things or self.fleet.living or self.sagas.active
        return not (under_way or self.documents.owes_by(end.timestamp() * 1000))

    async def sweep_each_minute(self):
        """Be the scheduler, until somebody ends this."""
        swept = [name for name, function in functions().items() if function.each_minute]
        while True:
            await asyncio.sleep(60)
            for name in swept:
                self.spawn(self.fleet.prompt(name))

    def _platform(self):
        most, log = self.weather.climate.skew, self.fleet.log
        clock = SkewedClock(self.clock, timedelta(seconds=self.weather.chance.uniform(-most, most)))
        documents = MemoryDocuments(self.main, clock, INDEXES, self.air)
        documents.witness = self.witness
        documents.of_old_release = self._rolling_out and self.weather.chance.random() < 0.5
        shared = Shared(documents, self.entropy, self.bus, self.ids)
        on = Platform(
            cell="local",
            documents=documents,
            sealed=MemoryDocuments(self.sealed, clock, (), self.air, "sealed"),
            bus=self.bus,
            tasks=MemoryTasks(self.air, clock, self.fleet.prompt, self.spawn),
            sagas=self.sagas,
            secrets=self.secrets,
            cipher=MemoryCipher(),
            leases=DocumentLeases(documents, clock),
            clock=clock,
            entropy=self.entropy,
            ids=self.ids,
            tokens=None,
            log=log,
            http=self.doors,
            guards=Guards(clock, log, shared, instead=self.doors.policy),
            **dict.fromkeys(
                ("dead_letters", "executions", "schedules", "objects", "nudges", "outward")
            ),  # nobody looks here
        )
        self.doors.move_in(on)
        return on
