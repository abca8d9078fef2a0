"""Durable executions: a saga of one call to another process, end to end, beside the same written by hand."""

import asyncio
import io
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import uvloop

from infra.bench.client import Caller, request
from infra.bench.figures import BenchError, Figure, Ground, Measure, Sample
from infra.bench.plain_sqlite import PlainSqlite, plain_sqlite
from infra.bench.processes import answering
from infra.local.fleet import Fleet, open_fleet
from infra.local.server import free_port
from infra.local.transport import Sockets
from infra.local.world import FleetConfig, World
from shared.kernel.log import Log
from shared.ports.sagas import ExecutionState

MANY = 32
NAME = "bench_call"
WORKFLOW = """
main:
  params: [args]
  steps:
    - call:
        call: http.post
        args: {url: "${args.url}", body: {execution: "${args.n}"}}
        result: answer
    - done: {return: "${answer.code}"}
"""
BODY = b'{"execution":1}'

RAW, OWN = "raw.hand_written_sagas", "executions.ended"
RATE, P50 = "{}_per_s_at_{}", "{}_p50_ms_at_{}"
COMMITS, CPU = "executions.commits_each_at_{}", "executions.cpu_ms_each_at_{}"
FIGURES = {
    name: figure
    for many in (1, MANY)
    for name, figure in {
        RATE.format(RAW, many): Figure("1/s"),
        RATE.format(OWN, many): Figure("1/s", beside=RATE.format(RAW, many)),
        P50.format(RAW, many): Figure("ms", "lower"),
        P50.format(OWN, many): Figure("ms", "lower", beside=P50.format(RAW, many)),
        COMMITS.format(many): Figure("commits", "lower"),
        CPU.format(many): Figure("ms", "lower"),
    }.items()
}


def take(ground: Ground) -> Sample:
    """Run executions for a while, the called server being another process."""
    port = free_port()
    arguments = ["-m", "infra.bench.programs.raw_asgi", str(port)]
    with answering(arguments, port, ground.folder):
        return uvloop.run(_all(ground, port))


async def _all(ground: Ground, called: int) -> Sample:
    sample: dict[str, float] = {}
    async with _fleet(ground.folder) as fleet:
        for many in (1, MANY):
            with plain_sqlite(ground.folder / f"raw-{many}.db") as database:
                sample |= await _HandWritten(database, called, many).ended(ground.effort.seconds)
            sample |= await _executed(fleet, called, many, ground.effort.seconds)
    return sample


async def _executed(fleet: Fleet, called: int, many: int, seconds: float) -> Sample:
    url = f"http://127.0.0.1:{called}/"
    commits, cpu, began = fleet.counters["commits"], time.process_time(), time.perf_counter()
    runs = await asyncio.gather(*(_in_a_row(fleet, url, began + seconds) for _ in range(many)))
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    delays = [delay for run in runs for delay in run]
    return {
        RATE.format(OWN, many): len(delays) / took,
        P50.format(OWN, many): median(delays) * 1e3,
        COMMITS.format(many): (fleet.counters["commits"] - commits) / len(delays),
        CPU.format(many): cpu / len(delays) * 1e3,
    }


async def _in_a_row(fleet: Fleet, url: str, until: float) -> list[float]:
    """Run one execution after the other; return how long each took."""
    delays: list[float] = []
    while (began := time.perf_counter()) < until:
        execution = await fleet.sagas.start(NAME, {"url": url, "n": len(delays)})
        ended = await fleet.sagas.ended(execution)
        if ended is None or ended.state is not ExecutionState.SUCCEEDED:
            raise BenchError(f"an execution ended as {ended and ended.state}")
        delays.append(time.perf_counter() - began)
    return delays


@asynccontextmanager
async def _fleet(folder: Path) -> AsyncIterator[Fleet]:
    workflows = folder / "workflows"
    workflows.mkdir()
    (workflows / f"{NAME}.yaml").write_text(WORKFLOW, encoding="utf-8")
    config = FleetConfig(folder / "home", free_port(), workflows=workflows)
    outside = Sockets()
    world = World(outside=outside, log=Log("keyfleet-bench", io.StringIO()))
    try:
        async with open_fleet(config, world) as fleet:
            yield fleet
    finally:
        await outside.close()


class _HandWritten:
    """The same saga without any machinery: keep the start, call, keep the end; `width` share each commit."""

    def __init__(self, database: PlainSqlite, called: int, width: int) -> None:
        self._database = database
        self._called, self._width = called, width
        self._request = request(called, "/", {"content-type": "application/json"}, BODY)

    async def ended(self, seconds: float) -> Sample:
        """Return how many come to their end a second, and how long each takes."""
        callers = [await Caller().open(self._called) for _ in range(self._width)]
        delays: list[float] = []
        while sum(delays) < seconds:
            began = time.perf_counter()
            await self._together(callers, len(delays) * self._width)
            delays.append(time.perf_counter() - began)
        for caller in callers:
            caller.close()
        rate = len(delays) * self._width / sum(delays)
        return {RATE.format(RAW, self._width): rate, P50.format(RAW, self._width): median(delays) * 1e3}

    async def _together(self, callers: list[Caller], first: int) -> None:
        rows = [(number,) for number in range(first, first + self._width)]
        self._database.commit("INSERT INTO rows VALUES (?, 'active')", rows)
        await asyncio.gather(*(caller.call(self._request) for caller in callers))
        self._database.commit("UPDATE rows SET body = 'ended' WHERE id = ?", rows)


MEASURE = Measure("executions", FIGURES, take)
