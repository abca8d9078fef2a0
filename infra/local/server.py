"""Serving a fleet over HTTP until somebody says stop."""

import asyncio
import gc
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from infra.local.fleet import open_fleet
from infra.local.world import FleetConfig, World

STOP_WITHIN_SECONDS = 5
RARELY = (20_000, 20, 50)


class PortInUse(Exception):
    """Somebody listens on the fleet's port already."""


def serve(config: FleetConfig, world: World | None = None, ready: Callable[[], None] = lambda: None) -> None:
    """Run a fleet in the foreground until it is told to stop; say `ready` once it serves."""
    listener = _listen(config.port)
    try:
        import uvloop

        uvloop.run(_serve(config, world, listener, ready))
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
    config: FleetConfig, world: World | None, listener: socket.socket, ready: Callable[[], None]
) -> None:
    async with open_fleet(config, world) as fleet:
        settings = uvicorn.Config(
            fleet,
            loop="none",
            http="httptools",
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=STOP_WITHIN_SECONDS,
        )
        server = _Server(settings, ready)
        spare_the_collector()
        for signum in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(signum, server.handle_exit, signum, None)
        await server.serve(sockets=[listener])


class _Server(uvicorn.Server):
    """Leaves the signals to us: uvicorn would raise them again and end us before the fleet has stopped."""

    def __init__(self, settings: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(settings)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve, then say so."""
        await super().startup(sockets)
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
