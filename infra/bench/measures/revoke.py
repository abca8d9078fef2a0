"""Keys taken back while fifty others are made: a stay's end is published, until what its lock said is.

The vendor answers at once, so all of it is ours. One caller has its own key made and taken back, in a row,
beside fifty who have keys made.
"""

import asyncio
import itertools
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import uvloop

from infra.bench import hotel
from infra.bench.client import Caller, request
from infra.bench.figures import BenchError, Figure, Ground, Measure, Sample
from infra.bench.measures.keys import PATIENCE_SECONDS, Wanted, made, make_key, stub_vendor
from infra.bench.processes import answering
from infra.bench.programs.key_fleet import LEFT
from infra.local.server import free_port

BESIDE = 50
OTHERS, OWN = 20_000, 50_000
"""From which numbers on the stays are that others book, and those that end: one night on the next."""
LONGER: Final = 5
"""Times that others look: one caller ends few keys a second, and of few the worst is called the p95."""
P50, P95 = (f"revoke_{part}_ms_beside_{BESIDE}" for part in ("p50", "p95"))
FIGURES = {P50: Figure("ms", "lower"), P95: Figure("ms", "lower", 250)}


def take(ground: Ground) -> Sample:
    """Take keys back beside fifty callers, as long as a measure lasts."""
    port, home = free_port(), ground.folder / "home-revoke"
    with stub_vendor(ground.folder) as stub:
        program: list[str | Path] = ["-m", "infra.bench.programs.key_fleet", home, str(port)]
        program += [stub.name, str(stub.port), *stub.how]
        with answering(program, port, ground.folder):
            delays = uvloop.run(_taken_back(port, time.perf_counter() + LONGER * ground.effort.seconds))
    return {P50: median(delays) * 1e3, P95: quantiles([*delays, delays[-1]], n=20)[-1] * 1e3}


async def _taken_back(port: int, until: float) -> list[float]:
    # What is looked up once for each lock is no part of a key.
    await made(partial(make_key, port, 0), port, BESIDE, lambda number: number < hotel.ROOMS)
    wanted: Wanted = lambda _: time.perf_counter() < until  # noqa: E731 - one line, as for keys
    others = asyncio.ensure_future(made(partial(make_key, port, OTHERS), port, BESIDE, wanted))
    caller, delays = await Caller().open(port), list[float]()
    for number in _while(until):
        async with asyncio.timeout(PATIENCE_SECONDS):
            await make_key(port, OWN, number, caller)
        began = time.perf_counter()
        async with asyncio.timeout(PATIENCE_SECONDS):
            status = await caller.call(request(port, LEFT, body=b"%d" % (OWN + number)))
        if status != 200:
            raise BenchError(f"a key was not taken back: {status}")
        delays.append(time.perf_counter() - began)
    caller.close()
    await others
    return delays


def _while(until: float) -> Iterator[int]:
    return itertools.takewhile(lambda number: number == 0 or time.perf_counter() < until, itertools.count())


MEASURE = Measure("revoke", FIGURES, take)
