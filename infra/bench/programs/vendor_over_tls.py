"""A vendor's simulator over TLS that says how long it took: `... CODE DIALECT PORT TLS_PORT CERTIFICATE KEY`.

Each request takes it as long as a vendor across a continent, and `Server-Timing` says how long that was.
"""

import asyncio
import sys
import time
from dataclasses import dataclass
from random import Random

import uvicorn
import uvloop
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.bench import hotel
from infra.bench.programs.serving import serve
from infra.local.ambient import SystemClock
from infra.simulators.kit.app import Simulator
from infra.simulators.kit.latency import LatencyProfile
from infra.simulators.kit.world import SimWorld
from infra.simulators.registry import simulated_vendor

TAKES_MS = 100.0
TIMING = b"server-timing"


@dataclass(frozen=True, slots=True)
class Timed:
    """An application, with what each request took it."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, and say how long it took."""
        began = time.perf_counter()

        async def timed(message: Message) -> None:
            if message["type"] == "http.response.start":
                took = f"vendor;dur={(time.perf_counter() - began) * 1e3:.3f}".encode()
                message = {**message, "headers": [*message["headers"], (TIMING, took)]}
            await send(message)

        await self.app(scope, receive, timed)


async def main(code: str, dialect: str, port: int, tls_port: int, *proof: str) -> None:
    """Serve until killed, and without TLS whoever asks whether anybody is there."""
    vendor = simulated_vendor(code)
    spoken = next(each for each in vendor.dialects if each.name == dialect)
    world = SimWorld(
        now=SystemClock().now,
        chance=Random(1),
        sleep=asyncio.sleep,
        hotel=spoken.hotel(hotel.LOCKS),
    )
    simulator = Simulator(vendor, world)
    simulator.cloud.latency.profile = LatencyProfile(cloud_ms=(TAKES_MS, TAKES_MS))
    certificate, key = proof
    over_tls = uvicorn.Config(
        Timed(simulator),
        host="127.0.0.1",
        port=tls_port,
        loop="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    await asyncio.gather(uvicorn.Server(over_tls).serve(), serve(simulator, port))


if __name__ == "__main__":
    _, code, dialect, port, tls_port, *proof = sys.argv
    uvloop.run(main(code, dialect, int(port), int(tls_port), *proof))
