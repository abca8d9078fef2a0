"""How the embedded cloud makes calls: its own functions directly, everybody else through a socket."""

import asyncio
from collections.abc import Mapping, MutableMapping
from contextvars import Context
from functools import lru_cache, partial
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from starlette.types import ASGIApp

from infra.local.http_plain import PlainClient
from infra.local.wire import Transport
from shared.kernel.time_limit import TimeLimit
from shared.vendor_kit.http import Answer, Call, ConnectionBroken, HttpClient, TimedOut

CONNECTIONS: Final = 256
LARGEST_ANSWER: Final = 32 * 1024 * 1024


class InProcess:
    """Calls an ASGI application without a socket; its own checks all run."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._running: dict[asyncio.Task[Answer], None] = {}  # in order, for the sake of simulations

    async def send(self, call: Call) -> Answer:
        """Return the application's answer; one that is late goes on without us, as it would elsewhere."""
        # A fresh context: what the caller knows of its tenant and trace does not travel by wire either.
        loop = asyncio.get_running_loop()
        task, ended = loop.create_task(self._serve(call), context=Context()), loop.create_future()
        self._running[task] = None
        task.add_done_callback(partial(self._end, ended))
        try:
            with TimeLimit(call.timeout):
                await ended
        except TimeoutError:
            if not task.done():  # else it came with the alarm: this machine was held up meanwhile
                raise TimedOut(f"no answer within {call.timeout:g} s") from None
        return task.result()

    async def close(self) -> None:
        """Stop whatever still runs."""
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _end(self, ended: "asyncio.Future[None]", task: "asyncio.Task[Answer]") -> None:
        del self._running[task]
        if not ended.done():  # else nobody waits any more
            ended.set_result(None)

    async def _serve(self, call: Call) -> Answer:
        exchange = _Exchange(call)
        try:
            await self._app(_scope(call), exchange.receive, exchange.send)
        except Exception as error:
            raise ConnectionBroken("the application broke off") from error
        return exchange.answer()


class _Exchange:
    """The two ends of one in-process request."""

    def __init__(self, call: Call) -> None:
        self._body: bytes | None = call.body
        self._status = 0
        self._headers: dict[str, str] = {}
        self._chunks: list[bytes] = []

    async def receive(self) -> MutableMapping[str, Any]:
        if self._body is None:
            await asyncio.get_running_loop().create_future()  # the caller never hangs up by itself
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in message.get("headers", ())}
        else:
            self._chunks.append(message.get("body", b""))

    def answer(self) -> Answer:
        if not self._status:
            raise ConnectionBroken("the application sent no answer")
        return Answer(self._status, self._headers, b"".join(self._chunks))


def _scope(call: Call) -> dict[str, Any]:
    address, host = _address(call.url)
    headers = [
        (name.lower().encode("latin-1"), value.encode())
        for name, value in call.headers.items()
        if name.lower() not in {"host", "content-length"}  # these say how the call is made, not what it says
    ]
    headers += [(b"host", host), (b"content-length", b"%d" % len(call.body))]
    return {**address, "method": call.method, "headers": headers}


@lru_cache(1024)
def _address(url: str) -> tuple[Mapping[str, Any], bytes]:
    """Return what a request says of its address, and the host: a fleet calls few, over and over."""
    parts = urlsplit(url)
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": parts.scheme,
        "path": unquote(parts.path) or "/",
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "server": (parts.hostname, parts.port),
        "client": ("127.0.0.1", 0),
        "root_path": "",
    }, parts.netloc.encode()


class Sockets(HttpClient):
    """Calls over the network, as many at a time and with answers as large as a fleet may want.

    What is ordinary and stays on this machine, as calls to simulators do, goes the cheap way.
    """

    def __init__(self, connections: int = CONNECTIONS, largest: int = LARGEST_ANSWER) -> None:
        super().__init__(connections, largest)
        self._plain = PlainClient(connections, largest)

    async def send(self, call: Call) -> Answer:
        """Return the answer, or raise a CallFault."""
        if call.url.startswith("http://") and (request := self._plain.request(call)) is not None:
            return await self._plain.exchange(request)
        return await super().send(call)

    async def close(self) -> None:
        """Close what is open."""
        await self._plain.close()
        await super().close()


class ByAddress:
    """Chooses by address: the fleet's own URLs go one way, all others another."""

    def __init__(self, base_url: str, inside: Transport, outside: Transport) -> None:
        self._prefix, self._inside, self._outside = f"{base_url}/", inside, outside

    async def send(self, call: Call) -> Answer:
        """Pass the call to the right transport."""
        chosen = self._inside if call.url.startswith(self._prefix) else self._outside
        return await chosen.send(call)

    async def close(self) -> None:
        """Close both ways."""
        await self._inside.close()
        await self._outside.close()
