"""Serving an ASGI application exactly as a fleet is served, until it is killed."""

import uvicorn
from starlette.types import ASGIApp


async def serve(app: ASGIApp, port: int) -> None:
    """Serve on loopback."""
    settings = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=port,
        loop="none",
        http="httptools",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
    )
    await uvicorn.Server(settings).serve()
