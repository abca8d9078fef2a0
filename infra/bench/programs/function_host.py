"""The host of a fleet with two functions that do nothing: `... function_host HOME PORT`."""

import sys
from pathlib import Path

import uvloop
from starlette.responses import Response

from infra.bench.programs import probes
from infra.bench.programs.serving import serve
from infra.local.fleet import open_fleet
from infra.local.host.app import Host
from infra.local.host.functions import host_function
from infra.local.world import FleetConfig
from infra.manifest.model import OPERATOR
from shared.runtime.platform import Deployed

PLAIN, STEP = "bench-plain", "bench-step"


async def main(home: Path, port: int) -> None:
    """Serve both functions on the platform of a whole fleet."""
    config = FleetConfig(home, port)
    async with open_fleet(config) as fleet:
        plain = Deployed(PLAIN, f"{config.base_url}/{PLAIN}", public=True)
        checked = Deployed(STEP, f"{config.base_url}/{STEP}", callers=frozenset({OPERATOR}))
        functions = {
            PLAIN: host_function(plain, probes, "bench_plain"),
            STEP: host_function(checked, probes, "bench_step"),
        }
        nothing = Response(status_code=404)
        await serve(Host(functions, nothing, f"127.0.0.1:{port}", fleet.counters), port)


if __name__ == "__main__":
    uvloop.run(main(Path(sys.argv[1]), int(sys.argv[2])))
