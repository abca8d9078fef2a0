"""The simulator as an ASGI application: the platform at its own paths, the control plane under /_sim/."""

from collections.abc import Iterable
from datetime import timedelta
from email.utils import format_datetime
from functools import lru_cache

from starlette.types import ASGIApp, Receive, Scope, Send

from infra.simulators.ttlock.callbacks import deliver_due
from infra.simulators.ttlock.cloud import EPOCH, Cloud
from infra.simulators.ttlock.control.plane import control_plane
from infra.simulators.ttlock.errors import ConnectionCut
from infra.simulators.ttlock.founding import found
from infra.simulators.ttlock.guard import Guard, Headers
from infra.simulators.ttlock.hotel import HotelPlan
from infra.simulators.ttlock.platform import Reply, Request, serve
from infra.simulators.ttlock.world import SimWorld

CONTROL = "/_sim"
LARGEST_BODY = 1 << 20
UNFINISHED = [(b"content-length", b"1")]


def ttlock_app(world: SimWorld) -> "Simulator":
    """Return a simulator of the world's hotel, in which nothing has happened yet."""
    return Simulator(world)


class Simulator:
    """One simulated platform and its doors; resetting it gives the same seed's beginning again."""

    def __init__(self, world: SimWorld) -> None:
        self.world = world
        self._seed = world.chance.getrandbits(64)
        self._guard = Guard(world.authority)
        self._control: ASGIApp = control_plane(self, world.control_token)
        self.cloud: Cloud = found(world, world.hotel, self._seed)

    def reset(self, plan: HotelPlan | None = None) -> None:
        """Forget everything; go on with this hotel, or with the same one."""
        self.cloud = found(self.world, plan or self.cloud.plan, self._seed)

    async def deliver_due(self) -> None:
        """Send the callbacks whose time has come."""
        await deliver_due(self.cloud, self.world.post)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        refused = self._guard.refusal(headers)
        if refused:
            await self._send(send, Reply(refused, b"call the simulator by its own address", "text/plain"))
        elif scope["path"].startswith(f"{CONTROL}/"):
            below = scope["path"].removeprefix(CONTROL)
            await self._control({**scope, "path": below, "raw_path": None}, receive, send)
        else:
            await self._platform(scope, headers, receive, send)

    async def _platform(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        if body is None:
            await self._send(send, Reply(413, b"", "text/plain"))
            return
        request = Request(
            method=scope["method"],
            path=scope["path"],
            query=scope["query_string"],
            content_type=headers.get(b"content-type", b"").decode("latin-1"),
            body=body,
        )
        try:
            reply = await serve(self.cloud, request)
        except ConnectionCut:
            # A server closes the socket on an application that breaks off, but only in mid-answer.
            await send({"type": "http.response.start", "status": 200, "headers": UNFINISHED})
            raise
        await self._send(send, reply)

    async def _send(self, send: Send, reply: Reply) -> None:
        # The Date header is the simulated one: it is what a client with a wrong clock resyncs from.
        seconds = int((self.cloud.now() - EPOCH).total_seconds())
        headers = _headers(reply.content_type, len(reply.body), seconds)
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})


def _headers(content_type: str, length: int, seconds: int) -> Iterable[tuple[bytes, bytes]]:
    return [
        (b"content-type", content_type.encode()),
        (b"content-length", str(length).encode()),
        (b"date", _http_date(seconds)),
    ]


@lru_cache(maxsize=4)
def _http_date(seconds: int) -> bytes:
    return format_datetime(EPOCH + timedelta(seconds=seconds), usegmt=True).encode()


async def _body(receive: Receive) -> bytes | None:
    chunks, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionCut("the caller hung up in mid-request")
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        more = message.get("more_body", False)
        if size > LARGEST_BODY:
            return None
    return b"".join(chunks)
