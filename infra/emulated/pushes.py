"""Where the emulator pushes to: an address of this machine that it alone is told."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web

LARGEST: Final = 32 * 1024 * 1024
Pushed = Callable[[str, bytes], Awaitable[int]]


@asynccontextmanager
async def taking_pushes(secret: str, pushed: Pushed) -> AsyncIterator[str]:
    """Take pushes for a while, and yield what each subscription's address begins with."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=await pushed(request.match_info["name"], await request.read()))

    app = web.Application(client_max_size=LARGEST)
    app.router.add_post(f"/{secret}/{{name}}", answer)
    runner = web.AppRunner(app, access_log=None, handle_signals=False)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/{secret}/"
    finally:
        await runner.cleanup()
