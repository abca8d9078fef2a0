"""A simulator as an ASGI application: the platform at its own paths, the control plane under /_sim/."""

from collections.abc import Iterable
from datetime import timedelta
from email.utils import format_datetime
from functools import lru_cache
from typing import Generic, TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from infra.simulators.kit.callbacks import Delivery, Notice
from infra.simulators.kit.cloud import EPOCH, SimulatedCloud
from infra.simulators.kit.control.plane import control_plane
from infra.simulators.kit.errors import ConnectionCut
from infra.simulators.kit.loopback import Guard, Headers
from infra.simulators.kit.operation import Reply, Request
from infra.simulators.kit.plan import Plan
from infra.simulators.kit.vendor import SimulatedVendor
from infra.simulators.kit.world import SimWorld

CONTROL = "/_sim"
LARGEST_BODY = 1 << 20
UNFINISHED = [(b"content-length", b"1")]
C = TypeVar("C", bound=SimulatedCloud)


class Simulator(Generic[C]):
    """One simulated platform and its doors; resetting it gives the same seed's beginning again."""

    def __init__(self, vendor: SimulatedVendor[C], world: SimWorld) -> None:
        self.vendor, self.world = vendor, world
        self._seed = world.chance.getrandbits(64)
        self._guard = Guard(world.authority)
        self._control: ASGIApp = control_plane(self, world.control_token)
        self.cloud: C = vendor.build(world, world.hotel or vendor.sample(), self._seed)

    def reset(self, plan: Plan | None = None) -> None:
        """Forget everything; go on with this hotel, or with the same one."""
        self.cloud = self.vendor.build(self.world, plan or self.cloud.plan, self._seed)

    async def deliver_due(self) -> None:
        """Send the callbacks whose time has come; nothing is sent twice, whatever the answer."""
        cloud = self.cloud
        for notice in cloud.notices.take_due(cloud.now_ms()):
            accepted = await self._delivered(notice)
            sent = Delivery(cloud.now_ms(), notice.client_id, notice.topic, notice.form, accepted)
            cloud.notices.sent.append(sent)

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

    async def _delivered(self, notice: Notice) -> bool:
        callbacks, post = self.vendor.callbacks, self.world.post
        url = self.cloud.hooks.get(notice.client_id)
        if callbacks is None or post is None or not url:
            return False
        try:
            return callbacks.accepted(*await post(url, *callbacks.wrapped(self.cloud, notice)))
        except OSError:
            return False

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
            headers=headers,
        )
        try:
            reply = await self.vendor.platform.serve(self.cloud, request)
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
