"""The bare client: keep-alive connections in a closed loop."""

import asyncio

import pytest

from infra.bench.client import Caller, ClosedLoop, Varied, request
from infra.bench.figures import BenchError


class Server(asyncio.Protocol):
    """Answers each request in two pieces, and remembers its connections."""

    connections = 0
    status = b"200 OK"

    def connection_made(self, transport):
        type(self).connections += 1
        self.transport = transport

    def data_received(self, data):
        self.transport.write(b"HTTP/1.1 " + self.status + b"\r\ncontent-length: 2\r\n\r\n")
        self.transport.write(b"{}")


@pytest.fixture
async def server():
    kind = type("Fresh", (Server,), {})
    listening = await asyncio.get_running_loop().create_server(kind, "127.0.0.1", 0)
    kind.port = listening.sockets[0].getsockname()[1]
    yield kind
    listening.close()


async def test_each_connection_is_used_again_and_again(server):
    rate = await ClosedLoop(request(server.port, "/")).per_second(server.port, 3, 0.05)
    assert rate * 0.05 > 3
    assert server.connections == 3


async def test_a_refusal_is_not_counted_as_speed(server):
    server.status = b"403 Forbidden"
    with pytest.raises(BenchError, match="403"):
        await ClosedLoop(request(server.port, "/")).per_second(server.port, 1, 0.01)


async def test_no_request_is_sent_twice_where_each_is_another_one(server):
    asked = [request(server.port, f"/{number}") for number in range(7)]
    loop = Varied(iter(asked))
    await loop.per_second(server.port, 3, 5)
    assert (loop.answers, len(loop.took), all(took > 0 for took in loop.took)) == (7, 7, True)


async def test_a_call_returns_its_status(server):
    caller = await Caller().open(server.port)
    assert [await caller.call(request(server.port, "/")) for _ in range(2)] == [200, 200]
    caller.close()


def test_a_request_is_a_post_with_its_length():
    asked = request(80, "/door", {"x-key": "204"}, b"{}")
    head, _, body = asked.partition(b"\r\n\r\n")
    assert head.splitlines() == [
        b"POST /door HTTP/1.1", b"host: 127.0.0.1:80", b"content-length: 2", b"x-key: 204",
    ]  # fmt: skip
    assert body == b"{}"
