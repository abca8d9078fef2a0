"""Serving a fleet until somebody says stop: functions on its port, everything on its own socket."""

import asyncio
import gc
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import partial
from typing import cast

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.local.fleet import Fleet, open_fleet
from infra.local.host.app import CONTROL
from infra.local.own_socket import SOCKET, leave_home, listen_at_home
from infra.local.protocol import Bounds, bounded, own_descriptors, web_socket
from infra.local.upkeep import watch
from infra.local.world import FleetConfig, World
from shared.runtime.responses import json_response

STOP_WITHIN_SECONDS = 5
LARGEST_FRAME = 1024 * 1024
RARELY = (20_000, 20, 50)
Opened = Callable[[FleetConfig, World | None], AbstractAsyncContextManager[Fleet]]
Private = tuple[socket.socket, uvicorn.Config]
"""The home's socket, and how it is served."""


class PortInUse(Exception):
    """Somebody listens on the fleet's port already."""


def serve(
    config: FleetConfig,
    world: World | None = None,
    ready: Callable[[], None] = lambda: None,
    opened: Opened = open_fleet,
) -> None:
    """Run a fleet in the foreground until it is told to stop; say `ready` once it serves."""
    listener = _listen(config.port)
    try:
        import uvloop

        uvloop.run(_serve(opened(config, world), listener, ready))
    finally:
        listener.close()


def spare_the_collector() -> None:
    """Let the garbage collector pass over what is loaded, and look for cycles less often.

    A key leaves thousands of short-lived values and hardly a cycle; looking costs a tenth of its CPU.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*RARELY)


async def _serve(
    opened: AbstractAsyncContextManager[Fleet], listener: socket.socket, ready: Callable[[], None]
) -> None:
    async with opened as fleet:
        config = fleet.config
        # Only now: the fleet has its home's lock, so a socket that was left there is nobody's.
        at_home = listen_at_home(config.home)
        try:
            server = _Server(_settings(open_part(fleet), _bounds(fleet)), _private(fleet, at_home), ready)
            spare_the_collector()
            for signum in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(signum, server.handle_exit, signum, None)
            watching = asyncio.ensure_future(watch(fleet))
            await server.serve(sockets=[listener])
            watching.cancel()
        finally:
            leave_home(config.home)


def open_part(fleet: ASGIApp) -> ASGIApp:
    """Return what a port serves: functions, and nothing of the control plane."""
    elsewhere = json_response(
        {"error": {"kind": "ControlElsewhere", "detail": f"see {SOCKET} in the home"}}, 404
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        controls = scope["type"] == "http" and scope["path"][1:].partition("/")[0] == CONTROL
        await (elsewhere if controls else fleet)(scope, receive, send)

    return app


def _settings(app: ASGIApp, bounds: Bounds) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="none",
        http=bounded(bounds),
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        ws=cast("type[asyncio.Protocol]", web_socket),
        ws_max_size=LARGEST_FRAME,
        timeout_graceful_shutdown=STOP_WITHIN_SECONDS,
    )


def _bounds(fleet: Fleet) -> Bounds:
    return Bounds(fleet.turned_away, fleet.broke, own_descriptors())


def _private(fleet: Fleet, listener: socket.socket) -> Private:
    return listener, _settings(fleet, Bounds(fleet.turned_away, fleet.broke, own_only=True))


class _Server(uvicorn.Server):
    """Serves the port and the home's socket, and leaves the signals to us.

    Uvicorn would raise them again, and end us before the fleet has stopped.
    """

    def __init__(self, settings: uvicorn.Config, private: Private, ready: Callable[[], None]) -> None:
        super().__init__(settings)
        self._private, self._ready = private, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve, then say so."""
        await super().startup(sockets)
        listener, settings = self._private
        settings.load()
        protocol: Callable[..., asyncio.Protocol] = settings.http_protocol_class
        serve = partial(protocol, settings, self.server_state, {})
        self.servers.append(await asyncio.get_running_loop().create_unix_server(serve, sock=listener))
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture nothing."""
        yield


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(1024)
    except OSError:
        listener.close()
        raise PortInUse(f"port {port} is taken: stop what uses it, or choose another with --port") from None
    return listener


def free_port() -> int:
    """Return a port nobody listens on just now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
