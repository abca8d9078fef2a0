"""The document store: commits a second beside SQLite's own, and how many writers share an fsync."""

import asyncio
import itertools
import json
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import mean

import uvloop

from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.plain_sqlite import plain_sqlite
from infra.local.ambient import SystemClock, SystemEntropy
from infra.local.counters import Counters
from infra.local.documents import SCHEMA, SqliteDocuments
from infra.local.faults import NoFaults
from infra.local.storage.database import open_database
from infra.local.storage.engine import Engine
from shared.domain.ids import TenantId
from shared.ports.documents import Create, Ref

MANY, TURNS = 64, 4
BODY = {
    "state": "active",
    "door": "204",
    "window": ["2026-05-01T12:00:00Z", "2026-05-04T09:00:00Z"],
    "n": "x" * 180,
}
TEXT = json.dumps(BODY)

RAW_COMMITS, RAW_ROWS = "raw.sqlite_commits_per_s", "raw.sqlite_rows_per_s_64_to_a_commit"
COMMITS, SHARE = "documents.commits_per_s_at_1", "documents.share_of_raw_commits_at_1"
WRITES, FSYNCS = "documents.writes_per_s_at_64", "documents.fsyncs_per_write_at_64"
TRACED = "documents.fsyncs_per_write_at_64_by_strace"
COUNTED = "documents.fsyncs_per_write_at_64_under_strace"
TRACED_WRITES = 100 * MANY
FIGURES = {
    RAW_COMMITS: Figure("1/s"),
    RAW_ROWS: Figure("1/s"),
    COMMITS: Figure("1/s", beside=RAW_COMMITS),
    SHARE: Figure("ratio", floor=0.30),
    WRITES: Figure("1/s", beside=RAW_ROWS),
    FSYNCS: Figure("fsyncs/write", "lower", floor=0.2),
    TRACED: Figure("fsyncs/write", "lower", floor=0.2),
    COUNTED: Figure("fsyncs/write", "lower", floor=0.2),
}


def take(ground: Ground) -> Sample:
    """Measure SQLite and the store in turns; strace, where there is one, checks our own counters once."""
    sample = uvloop.run(_in_turns(ground.folder, ground.effort.seconds / TURNS))
    return {**sample, **_traced(ground)} if ground.round == 0 and shutil.which("strace") else sample


async def _in_turns(folder: Path, seconds: float) -> Sample:
    # A shared disk changes its mind within a second: short turns meet the same one.
    turns: dict[str, list[float]] = defaultdict(list)
    with plain_sqlite(folder / "raw.db") as raw:
        async with opened(folder) as (store, counters):
            for _ in range(TURNS):
                turns[RAW_COMMITS].append(raw.rows_per_second(TEXT, 1, seconds))
                turns[COMMITS].append((await _writing(store, counters, 1, seconds))[0])
                turns[RAW_ROWS].append(raw.rows_per_second(TEXT, MANY, seconds))
                rate, fsyncs = await _writing(store, counters, MANY, seconds)
                turns[WRITES].append(rate)
                turns[FSYNCS].append(fsyncs)
    sample = {name: mean(values) for name, values in turns.items()}
    return {**sample, SHARE: sample[COMMITS] / sample[RAW_COMMITS]}


async def _writing(
    store: SqliteDocuments, counters: Counters, writers: int, seconds: float
) -> tuple[float, float]:
    """Return writes a second, and fsyncs a write."""
    before, began = counters["fsyncs"], time.perf_counter()
    until = began + seconds
    written = await asyncio.gather(*(_write(store, f"{began}-{n}", _while(until)) for n in range(writers)))
    took = time.perf_counter() - began
    return sum(written) / took, (counters["fsyncs"] - before) / sum(written)


def _while(until: float) -> Iterator[int]:
    return itertools.takewhile(lambda number: number == 0 or time.perf_counter() < until, itertools.count())


async def _write(store: SqliteDocuments, writer: str, numbers: Iterator[int]) -> int:
    handle, written = store.tenant(TenantId("tnt_bench")), 0
    for number in numbers:
        await handle.commit([Create(Ref("bench", f"{writer}-{number}"), BODY)])
        written += 1
    return written


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[SqliteDocuments, Counters]]:
    """Open a store as a fleet does, and what its engine counts."""
    counters = Counters()
    database = open_database(folder / "fleet.db", SCHEMA, SystemEntropy().token)
    engine = Engine(database, faults=NoFaults(), counters=counters)
    engine.start()
    store = SqliteDocuments(engine, SystemClock(), (), "main")
    await store.prepare()
    try:
        yield store, counters
    finally:
        await engine.close()


async def write_a_number(folder: Path, writes: int) -> float:
    """Write from 64 writers and return what our own counters say of fsyncs a write, and nothing else."""
    async with opened(folder) as (store, counters):
        each = [range(writes // MANY)] * MANY
        await asyncio.gather(*(_write(store, str(n), iter(numbers)) for n, numbers in enumerate(each)))
        return counters["fsyncs"] / writes


def _traced(ground: Ground) -> Sample:
    trace, folder = ground.folder / "trace", ground.folder / "traced"
    tracer = ["strace", "-f", "-c", "-e", "trace=fsync,fdatasync", "-o", str(trace)]
    program = [sys.executable, "-m", "infra.bench.programs.document_writes", str(folder), str(TRACED_WRITES)]
    done = subprocess.run([*tracer, *program], capture_output=True, text=True, check=False)
    if done.returncode:  # where nobody may trace, the report lists both figures as absent
        return {}
    return {TRACED: calls_counted(trace.read_text()) / TRACED_WRITES, COUNTED: float(done.stdout)}


def calls_counted(table: str) -> int:
    """Return how many syncs a table of strace counts: the fourth column of each system call's line."""
    lines = [line.split() for line in table.splitlines()]
    return sum(int(fields[3]) for fields in lines if fields and fields[-1] in {"fsync", "fdatasync"})


MEASURE = Measure("documents", FIGURES, take)
