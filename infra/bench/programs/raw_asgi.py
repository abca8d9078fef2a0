"""The least an ASGI application can do, as the raw limit of every other one: `... raw_asgi PORT`."""

import sys

import uvloop
from starlette.types import Receive, Scope, Send

from infra.bench.programs.serving import serve

START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"application/json"), (b"content-length", b"2")],
}
BODY = {"type": "http.response.body", "body": b"{}"}


async def answer(_scope: Scope, receive: Receive, send: Send) -> None:
    """Answer an empty object to everything."""
    await receive()
    await send(START)
    await send(BODY)


if __name__ == "__main__":
    uvloop.run(serve(answer, int(sys.argv[1])))
