"""The function host over real HTTP, beside an application that does nothing on the same server."""

from pathlib import Path

import uvloop

from infra.bench.client import ClosedLoop, request
from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.processes import Process, answering
from infra.bench.programs.function_host import PLAIN, STEP
from infra.local.ambient import SystemClock, SystemEntropy
from infra.local.identity import LocalIdentity
from infra.local.server import free_port
from infra.local.world import FleetConfig
from infra.manifest.model import OPERATOR

MANY = 32
RAW, FUNCTION, CHECKED = "raw.asgi", "host.no_io_function", "host.identity_checked_step"
RATE, CPU = "{}_per_s_at_{}", "{}_cpu_us_at_{}"
FIGURES = {
    **{RATE.format(RAW, many): Figure("1/s") for many in (1, MANY)},
    **{CPU.format(RAW, many): Figure("us", "lower") for many in (1, MANY)},
    **{
        RATE.format(name, many): Figure("1/s", beside=RATE.format(RAW, many))
        for name in (FUNCTION, CHECKED)
        for many in (1, MANY)
    },
    **{
        CPU.format(name, many): Figure("us", "lower", beside=CPU.format(RAW, many))
        for name in (FUNCTION, CHECKED)
        for many in (1, MANY)
    },
    RATE.format(FUNCTION, MANY): Figure("1/s", floor=5000, aim=15000, beside=RATE.format(RAW, MANY)),
}


def take(ground: Ground) -> Sample:
    """Load the two servers in turns, both being there all the time."""
    home, raw_port, port = ground.folder / "home", free_port(), free_port()
    raw = answering(["-m", "infra.bench.programs.raw_asgi", str(raw_port)], raw_port, ground.folder)
    own = answering(["-m", "infra.bench.programs.function_host", home, str(port)], port, ground.folder)
    with raw as limit, own as host:
        requests = {
            RAW: (limit, request(raw_port, "/")),
            FUNCTION: (host, request(port, f"/{PLAIN}")),
            CHECKED: (host, request(port, f"/{STEP}", _authorization(home, port), b"{}")),
        }
        sample: dict[str, float] = {}
        for connections in (1, MANY):
            for name, (process, asked) in requests.items():
                sample |= _loaded(name, process, asked, connections, ground.effort.seconds)
    return sample


def _loaded(name: str, process: Process, asked: bytes, connections: int, seconds: float) -> Sample:
    loop, before = ClosedLoop(asked), process.cpu_seconds()
    rate = uvloop.run(loop.per_second(process.port, connections, seconds))
    cpu = (process.cpu_seconds() - before) / loop.answers
    return {RATE.format(name, connections): rate, CPU.format(name, connections): cpu * 1e6}


def _authorization(home: Path, port: int) -> dict[str, str]:
    config = FleetConfig(home, port)
    identity = LocalIdentity.at(config.identity_key, SystemClock().now, SystemEntropy().token)
    return {"authorization": f"Bearer {identity.token(OPERATOR, f'{config.base_url}/{STEP}')}"}


MEASURE = Measure("host", FIGURES, take)
