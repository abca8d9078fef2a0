"""A durable core in virtual time, and a receiver that answers as it is told."""

import asyncio
import base64
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from infra.local.ambient import SeededEntropy
from infra.local.bus import SCHEMA as BUS_SCHEMA
from infra.local.counters import Counters
from infra.local.delivery.parts import DeliveryParts
from infra.local.faults import NoFaults
from infra.local.schedules import SCHEMA as SCHEDULES_SCHEMA
from infra.local.simulation.loop import VirtualClock, run_virtually
from infra.local.storage.database import open_database
from infra.local.storage.engine import Engine
from infra.local.tasks import SCHEMA as TASKS_SCHEMA
from shared.vendor_kit.http import Answer, Call

PROJECT = "hotel"


class CountingIds:
    """Ids that sort in the order they were given."""

    def __init__(self) -> None:
        self._last = 0

    def ulid(self) -> str:
        self._last += 1
        return f"{self._last:026d}"


class PlainTokens:
    """Tokens that can be read."""

    def token(self, caller: str, audience: str) -> str:
        return f"{caller}->{audience}"


@dataclass(frozen=True)
class Received:
    """One request as the receiver saw it."""

    at: float
    call: Call

    @property
    def headers(self):
        return self.call.headers

    @property
    def json(self) -> Any:
        return json.loads(self.call.body)

    @property
    def text(self) -> str:
        """What was published, if this is a push."""
        return base64.b64decode(self.json["message"]["data"]).decode()

    @property
    def key(self) -> str:
        return self.json["message"].get("orderingKey", "")

    @property
    def attempt(self) -> int | None:
        return self.json.get("deliveryAttempt")


def accept(_: Received) -> int:
    return 204


@dataclass
class Receiver:
    """A transport whose far end is a function from request to status, answer or exception."""

    answer: Callable[[Received], Any] = accept
    takes: float = 0.0
    received: list[Received] = field(default_factory=list)
    busy: int = 0
    busiest: int = 0

    async def send(self, call: Call) -> Answer:
        request = Received(asyncio.get_running_loop().time(), call)
        self.received.append(request)
        self.busy += 1
        self.busiest = max(self.busiest, self.busy)
        try:
            await asyncio.sleep(self.takes)
            return self._answered(request)
        finally:
            self.busy -= 1

    def _answered(self, request: Received) -> Answer:
        result = self.answer(request)
        if isinstance(result, BaseException):
            raise result
        return result if isinstance(result, Answer) else Answer(result)

    @property
    def texts(self) -> list[str]:
        return [request.text for request in self.received]


class World:
    """Storage that can be shut, crashed and opened again, and everything a part is given."""

    def __init__(self, folder: Path, clock: VirtualClock, seed: int = 1) -> None:
        self.path, self.clock, self.faults = folder / "fleet.db", clock, NoFaults()
        self.receiver, self.entropy, self.ids = Receiver(), SeededEntropy(seed), CountingIds()
        self.open()

    def open(self) -> None:
        schema = (*BUS_SCHEMA, *TASKS_SCHEMA, *SCHEDULES_SCHEMA)
        self.database = open_database(self.path, schema, self.entropy.token)
        self.counters = Counters()
        self.engine = Engine(self.database, faults=self.faults, counters=self.counters, threaded=False)
        self.engine.start()

    @property
    def means(self) -> DeliveryParts:
        return DeliveryParts(
            PROJECT, self.engine, self.clock, self.entropy, self.ids, self.receiver, PlainTokens(),
            self.faults, self.counters,
        )  # fmt: skip

    async def close(self) -> None:
        await self.engine.close()

    def crash(self) -> None:
        """End without writing what was only promised lazily."""
        self.engine._lazy.clear()
        for timer in (self.engine._lazy_timer, self.engine._held_timer):
            if timer is not None:
                timer.cancel()
        self.engine._closed = True
        self.database.close()

    def err_once(self, part_of_sql: str) -> list[str]:
        """Let the next read of its kind fail, and return what the event loop is told of that."""
        read, mistakes = self.engine.read, [sqlite3.OperationalError("disk I/O error")]

        def mistaken(sql: str, parameters: Any = ()) -> Any:
            if part_of_sql in sql and mistakes:
                raise mistakes.pop()
            return read(sql, parameters)

        self.engine.read = mistaken
        return self.hear()

    @contextmanager
    def no_room(self) -> Iterator[None]:
        """Let every write be refused for a while."""
        self.database.writer.execute("PRAGMA busy_timeout=1")
        with closing(sqlite3.connect(self.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield

    @contextmanager
    def writing_fails(self) -> Iterator[None]:
        """Let every write fail for a while, and not for want of room."""

        async def failing(_: Any) -> None:
            raise sqlite3.DatabaseError("database disk image is malformed")

        write, self.engine.write = self.engine.write, failing
        yield
        self.engine.write = write

    def hear(self) -> list[str]:
        """Return what the event loop is told of from now on."""
        told: list[str] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(str(context["exception"])))
        return told

    def set_clock(self, **by: float) -> None:
        """Set the clock ahead or back, as somebody with the time at hand does; timers do not feel it."""
        self.clock._beginning += timedelta(**by)

    async def flush(self) -> None:
        """Write down what rides lazily."""
        await self.engine.write(lambda _: None)


def play(folder: Path, scenario: Callable[[World], Any], *, seed: int | None = None) -> None:
    """Run a scenario in virtual time on fresh storage."""

    async def main(clock: VirtualClock) -> None:
        world = World(folder, clock, seed or 1)
        await scenario(world)

    run_virtually(main, seed)


async def until(holds: Callable[[], object], within: float = 200.0) -> None:
    """Wait in virtual time, or fail."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within
    while not holds():
        assert loop.time() < deadline, f"not within {within} virtual seconds"
        await asyncio.sleep(min(0.1, within / 100))
