"""A receiver over a real socket."""

from contextlib import asynccontextmanager

from aiohttp import web


@asynccontextmanager
async def listening(handle):
    """Serve POSTs on a free port of loopback and yield its address."""
    app = web.Application(client_max_size=32 * 1024 * 1024)
    app.router.add_post("/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
