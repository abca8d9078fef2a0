"""The bus: how long from a publish to its push, and how many messages a second go the whole way."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median, quantiles

import uvloop
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.plain_sqlite import plain_sqlite
from infra.local import bus
from infra.local.ambient import SystemClock, SystemEntropy
from infra.local.bus.specs import SubscriptionSpec, TopicSpec
from infra.local.counters import Counters
from infra.local.delivery.parts import DeliveryParts
from infra.local.faults import NoFaults
from infra.local.identity import LocalIdentity
from infra.local.storage.database import open_database
from infra.local.storage.engine import Engine
from infra.local.transport import InProcess
from shared.kernel.ids import DrawnIds
from shared.ports.bus import Message

TOPIC, KEYS, PATIENCE_SECONDS = "bench.topic", 32, 30.0
URL = "http://127.0.0.1:1/bench-push"
BODY = b'{"n":"' + b"x" * 500 + b'"}'

RAW_COMMIT, RAW_ROWS = "raw.sqlite_commit_ms", "raw.sqlite_rows_per_s_32_to_a_commit"
P50, P95 = "bus.publish_to_push_p50_ms", "bus.publish_to_push_p95_ms"
RATE = "bus.messages_per_s_end_to_end"
FIGURES = {
    RAW_COMMIT: Figure("ms", "lower"),
    P50: Figure("ms", "lower", floor=3.0, beside=RAW_COMMIT),
    P95: Figure("ms", "lower", beside=RAW_COMMIT),
    RAW_ROWS: Figure("1/s"),
    RATE: Figure("1/s", beside=RAW_ROWS),
}


class Inbox:
    """The application that messages are pushed to: notes when each came."""

    def __init__(self) -> None:
        self._arrived: asyncio.Queue[float] = asyncio.Queue()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a push."""
        self._arrived.put_nowait(time.perf_counter())
        await Response(status_code=204)(scope, receive, send)

    async def next(self) -> float:
        """Return when the next message came."""
        return await asyncio.wait_for(self._arrived.get(), PATIENCE_SECONDS)


def take(ground: Ground) -> Sample:
    """Measure one at a time, then many."""
    return {**_raw(ground.folder, ground.effort.seconds / 2), **uvloop.run(_bus(ground))}


def _raw(folder: Path, seconds: float) -> Sample:
    """Keep bodies alone and 32 together, the least that any durable bus has to do."""
    with plain_sqlite(folder / "raw.db") as raw:
        alone = raw.rows_per_second(BODY.decode(), 1, seconds)
        together = raw.rows_per_second(BODY.decode(), KEYS, seconds)
    return {RAW_COMMIT: 1e3 / alone, RAW_ROWS: together}


async def _bus(ground: Ground) -> Sample:
    inbox = Inbox()
    async with _opened(ground.folder, inbox) as opened:
        delays = [await _one(opened, inbox, number) for number in range(ground.effort.publishes)]
        rate = await _many(opened, inbox, ground.effort.messages)
    return {P50: median(delays), P95: quantiles(delays, n=20)[-1], RATE: rate}


async def _one(opened: bus.Bus, inbox: Inbox, number: int) -> float:
    began = time.perf_counter()
    await opened.publish(TOPIC, [_message(number)])
    return (await inbox.next() - began) * 1e3


async def _many(opened: bus.Bus, inbox: Inbox, messages: int) -> float:
    began = time.perf_counter()
    await asyncio.gather(*(_publish(opened, range(key, messages, KEYS)) for key in range(KEYS)))
    arrived = [await inbox.next() for _ in range(messages)]
    return messages / (max(arrived) - began)


async def _publish(opened: bus.Bus, numbers: range) -> None:
    for number in numbers:
        await opened.publish(TOPIC, [_message(number)])


def _message(number: int) -> Message:
    return Message(BODY, {"subject": TOPIC}, f"key-{number % KEYS}")


@asynccontextmanager
async def _opened(folder: Path, inbox: Inbox) -> AsyncIterator[bus.Bus]:
    means = _means(folder, inbox)
    subscription = SubscriptionSpec(
        name="bench-push", topic=TOPIC, push_url=URL, audience=URL, caller="pubsub-push", ordered=True
    )
    means.engine.start()
    opened = bus.Bus(means, [TopicSpec(TOPIC)], [subscription])
    opened.start()
    try:
        yield opened
    finally:
        await opened.stop()
        await means.engine.close()


def _means(folder: Path, inbox: Inbox) -> DeliveryParts:
    clock, entropy, counters, faults = SystemClock(), SystemEntropy(), Counters(), NoFaults()
    database = open_database(folder / "fleet.db", bus.SCHEMA, entropy.token)
    return DeliveryParts(
        project="keyfleet-bench",
        engine=Engine(database, faults=faults, counters=counters),
        clock=clock,
        entropy=entropy,
        ids=DrawnIds(clock.now, entropy.token),
        transport=InProcess(inbox),
        tokens=LocalIdentity(entropy.token(32), clock.now),
        faults=faults,
        counters=counters,
    )


MEASURE = Measure("bus", FIGURES, take)
