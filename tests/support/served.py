"""Functions of a test's own, on a whole embedded fleet, behind a real socket of loopback."""

import asyncio
import io
import socket
from contextlib import asynccontextmanager

import uvicorn
from starlette.responses import Response

from infra.local.ambient import SystemClock
from infra.local.fleet import open_fleet
from infra.local.host.app import Host
from infra.local.protocol import Bounds, bounded
from infra.local.world import FleetConfig, World
from shared.kernel.log import Log


class Served:
    """The fleet behind the address, and its log."""

    def __init__(self, fleet, log, bounds):
        self.fleet, self.log, self.bounds, self.url = fleet, log, bounds, fleet.config.base_url
        self.port = fleet.config.port

    def said(self):
        """Return the lines of the log."""
        return self.log.getvalue().splitlines()


class _Quiet(uvicorn.Server):
    async def serve(self, sockets):
        await super()._serve(sockets)  # without taking the signals of the process


@asynccontextmanager
async def served(home, functions, ws="none", **world):
    """Serve functions beside the sample fleet; `functions(base_url)` returns them by name, hosted."""
    listener, lines = socket.create_server(("127.0.0.1", 0)), io.StringIO()
    # As the loop of a real fleet does: else half of each answer waits 40 ms on a connection that is kept.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = FleetConfig(home, listener.getsockname()[1], sample=True)
    around = World(**{"clock": SystemClock(), "log": Log("keyfleet", lines), **world})
    async with open_fleet(config, around) as fleet:
        hosted = {**fleet._functions, **functions(config.base_url)}
        authority = f"127.0.0.1:{config.port}"
        host = Host(hosted, Response(status_code=404), authority, fleet.counters)
        bounds = Bounds(fleet.turned_away, fleet.broke)
        async with listening(host, listener, ws, bounds):
            yield Served(fleet, lines, bounds)


@asynccontextmanager
async def listening(app, listener, ws, bounds):
    """Serve an application on a socket for a while, by the protocol of a real fleet."""
    settings = uvicorn.Config(
        app,
        loop="none",
        http=bounded(bounds),
        ws=ws,
        lifespan="off",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )
    server = _Quiet(settings)
    serving = asyncio.ensure_future(server.serve([listener]))
    async with asyncio.timeout(10):
        while not server.started:  # noqa: ASYNC110 - uvicorn has nothing to wait for
            await asyncio.sleep(0.005)
    try:
        yield
    finally:
        server.should_exit = True
        await serving
        listener.close()
