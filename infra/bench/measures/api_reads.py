"""What a desk reads over the API while others do: a key, who can open a room, the day's arrivals."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import repeat
from pathlib import Path
from statistics import quantiles
from typing import Final

import orjson
import uvloop

from infra.bench.client import Caller, Varied, request
from infra.bench.figures import BenchError, Figure, Ground, Measure, Sample
from infra.bench.hotel import PROPERTY, TENANT, room
from infra.bench.processes import Process, answering
from infra.local.ambient import SystemClock, SystemEntropy
from infra.local.people import Badge, LocalPeople
from infra.local.server import free_port
from infra.local.world import FleetConfig
from shared.domain.ids import UserId
from shared.domain.permissions import Role

MANY, STAYS, AT_MOST_A_SECOND = 32, 20, 4000
SETTLED_SECONDS: Final = 3.0
ROOT: Final = "/lock-api/lock/v1"
P95, CPU = "api.{}_p95_ms_at_32", "api.{}_cpu_us_at_32"
READS: Final = {
    "stay": "stays/rsv_0",
    "access": f"rooms/{room(0)}/access?property={PROPERTY}",
    "arrivals": f"arrivals?property={PROPERTY}&day={{day}}",
}
FIGURES = {
    **{P95.format(read): Figure("ms", "lower", floor=15.0 if read != "arrivals" else None) for read in READS},
    **{CPU.format(read): Figure("us", "lower") for read in READS},
}
"""The floor is for one thing that is read; a day's arrivals are twenty."""


def take(ground: Ground) -> Sample:
    """Book some stays, then read of them with 32 in flight."""
    home, port = ground.folder / "home", free_port()
    program: list[str | Path] = ["-m", "infra.bench.programs.api_fleet", home, str(port)]
    sample: dict[str, float] = {}
    with answering(program, port, ground.folder) as process:
        headers = {"authorization": f"Bearer {_token(home, port)}"}
        begins = (SystemClock().now() + timedelta(days=2)).replace(hour=9, minute=0, second=0, microsecond=0)
        uvloop.run(_booked(port, headers, begins))
        for read, path in READS.items():
            at = f"{ROOT}/{path.format(day=begins.date().isoformat())}"
            asked = request(port, at, headers, method="GET")
            many = repeat(asked, round(AT_MOST_A_SECOND * ground.effort.seconds))
            sample |= _read(read, process, many, ground)
    return sample


def _read(read: str, process: Process, asked: Iterator[bytes], ground: Ground) -> Sample:
    loop, before = Varied(asked), process.cpu_seconds()
    uvloop.run(loop.per_second(process.port, MANY, ground.effort.seconds))
    cpu = (process.cpu_seconds() - before) / loop.answers * 1e6
    return {P95.format(read): quantiles(loop.took, n=20)[-1] * 1000, CPU.format(read): cpu}


async def _booked(port: int, headers: dict[str, str], begins: datetime) -> None:
    """Book a stay in each of some rooms, and let their keys be made."""
    caller = await Caller().open(port)
    for number in range(STAYS):
        stay = {
            "reservation": f"rsv_{number}",
            "property": str(PROPERTY),
            "rooms": [str(room(number))],
            "validFrom": f"{begins:%Y-%m-%dT%H:%M:%SZ}",
            "validUntil": f"{begins + timedelta(days=2):%Y-%m-%dT%H:%M:%SZ}",
        }
        told = {**headers, "content-type": "application/json"}
        status = await caller.call(request(port, f"{ROOT}/stays", told, orjson.dumps(stay)))
        if status not in {200, 201, 202}:
            raise BenchError(f"a stay was answered with {status}")
    caller.close()
    await asyncio.sleep(SETTLED_SECONDS)


def _token(home: Path, port: int) -> str:
    config = FleetConfig(home, port)
    people = LocalPeople.at(config.people_key, SystemClock().now, SystemEntropy().token)
    everywhere = Badge(TENANT, UserId("usr_bench"), frozenset(Role), None)
    return people.token(everywhere, config.base_url)


MEASURE = Measure("api-reads", FIGURES, take)
