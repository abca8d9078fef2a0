"""A sagas service on a real file, with a scripted world around it."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import orjson

from infra.local.ambient import SeededEntropy
from infra.local.counters import Counters
from infra.local.delivery.parts import DeliveryParts
from infra.local.faults import NoFaults
from infra.local.sagas.journal import SCHEMA, Journal
from infra.local.sagas.run import Surroundings
from infra.local.sagas.service import LocalSagas
from infra.local.simulation.loop import VirtualClock, run_virtually
from infra.local.storage.database import open_database
from infra.local.storage.engine import Engine
from shared.kernel.ids import DrawnIds
from shared.kernel.log import Log
from shared.vendor_kit.http import Answer, Call

BASE = "http://127.0.0.1:1"


class Script:
    """A transport that answers as it is told, and remembers what it was asked."""

    def __init__(self):
        self.calls: list[Call] = []
        self.answers: dict[str, list] = {}
        self.held: dict[str, asyncio.Event] = {}

    async def send(self, call):
        self.calls.append(call)
        name = call.url.rpartition("/")[2]
        if name in self.held:
            await self.held[name].wait()
        queue = self.answers.get(name, [])
        answer = queue.pop(0) if len(queue) > 1 else queue[0] if queue else Answer(200, body=b"{}")
        if isinstance(answer, Exception):
            raise answer
        return answer

    def sent(self, name):
        return [call for call in self.calls if call.url.endswith(f"/{name}")]


class Settable:
    """A clock that somebody sets."""

    def __init__(self, clock):
        self._clock, self.ahead = clock, timedelta()

    def now(self):
        return self._clock.now() + self.ahead


class Plain:
    """Tokens that say plainly whom they are for."""

    def token(self, caller, audience):
        return f"{caller}>{audience}"


def json_answer(body, status=200):
    return Answer(status, {"content-type": "application/json"}, orjson.dumps(body))


@dataclass
class Ground:
    """What outlives a process: the file, the script, and the workflow files."""

    home: Path
    clock: VirtualClock
    sources: dict[str, str]
    script: Script = field(default_factory=Script)
    counters: Counters = field(default_factory=Counters)
    starts: int = 1
    make: object = LocalSagas
    seed: int = 0
    faults: object = field(default_factory=NoFaults)
    base: str = BASE
    wake: object = None

    async def open(self):
        """Begin a process; ids go on growing because the clock does."""
        self.seed += 1
        entropy = SeededEntropy(self.seed)
        database = open_database(self.home / "sagas.db", SCHEMA, entropy.token)
        engine = Engine(database, faults=self.faults, counters=self.counters, threaded=False)
        engine.start()
        means = DeliveryParts("test", engine, self.clock, entropy, DrawnIds(self.clock.now, entropy.token),
                      self.script, Plain(), self.faults, self.counters)  # fmt: skip
        around = Surroundings(means, Journal(engine, self.clock.now), self.base, Log("test"))
        sagas = self.make(self.sources, around, self.wake or self._unused, lambda: self.starts)
        sagas.start_all()
        return Process(sagas, engine)

    async def _unused(self, url, body):
        raise AssertionError("nothing calls back here")


@dataclass
class Process:
    """One life of the service."""

    sagas: LocalSagas
    engine: Engine

    async def die(self):
        """Stop at once: what is not on the disk is lost."""
        await self.sagas.stop()
        await self.engine.close()

    async def finished(self, execution):
        """Return the execution once it has ended."""
        await self.sagas.settled()
        return await self.sagas.get(execution)


class SagasSetting:
    """Plays scenarios on the implementation under test, in virtual time."""

    make = staticmethod(LocalSagas)

    def play(self, home, scenario, sources, *, seed=11, **options):
        async def main(clock):
            return await scenario(Ground(home, clock, sources, make=self.make, **options))

        return run_virtually(main, seed)
