"""A bare HTTP client on keep-alive connections: it must cost less than what it measures."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from typing import cast

import httptools

from infra.bench.figures import BenchError

Answered = Callable[["Connection", int], None]
GIVE_UP_SECONDS = 30.0


class Connection(asyncio.Protocol):
    """One keep-alive connection with one request under way; tells when its answer is complete."""

    def __init__(self, answered: Answered) -> None:
        self._answered = answered
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Be ready to send."""
        self._transport = cast("asyncio.WriteTransport", transport)  # uvloop's own is no subclass of it

    def data_received(self, data: bytes) -> None:
        """Take in a part of an answer."""
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        """Tell that the answer is there."""
        self._answered(self, self._parser.get_status_code())

    def send(self, request: bytes) -> None:
        """Send a request."""
        assert self._transport is not None
        self._transport.write(request)

    def close(self) -> None:
        """Hang up."""
        assert self._transport is not None
        self._transport.close()


class ClosedLoop:
    """Sends the next request on each connection as soon as the last was answered, for some seconds."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self.answers = self._under_way = 0
        self._wrong: int | None = None
        self._until = 0.0
        self._at_rest = asyncio.Event()

    async def per_second(self, port: int, connections: int, seconds: float) -> float:
        """Return the answers a second; raise if one of them was not a 200."""
        opened = [await connect(port, self._answer) for _ in range(connections)]
        began = time.perf_counter()
        self._until = began + seconds
        self._under_way = sum(map(self._send, opened))
        async with asyncio.timeout(seconds + GIVE_UP_SECONDS):
            await self._at_rest.wait()
        took = time.perf_counter() - began
        for connection in opened:
            connection.close()
        if self._wrong is not None:
            raise BenchError(f"an answer had the status {self._wrong}")
        return self.answers / took

    def _send(self, connection: Connection) -> bool:
        """Send the next request, and say whether there was one."""
        connection.send(self._request)
        return True

    def _answer(self, connection: Connection, status: int) -> None:
        self.answers += 1
        if status != 200:
            self._wrong = status
        if time.perf_counter() < self._until and self._send(connection):
            return
        self._under_way -= 1
        if self._under_way == 0:
            self._at_rest.set()


class Varied(ClosedLoop):
    """Sends another request each time, and notes how long each was under way; it ends where they do."""

    def __init__(self, requests: Iterator[bytes]) -> None:
        super().__init__(b"")
        self._requests, self._sent = requests, dict[Connection, float]()
        self.took: list[float] = []

    def _send(self, connection: Connection) -> bool:
        following = next(self._requests, None)
        if following is None:
            return False
        self._sent[connection] = time.perf_counter()
        connection.send(following)
        return True

    def _answer(self, connection: Connection, status: int) -> None:
        self.took.append(time.perf_counter() - self._sent[connection])
        super()._answer(connection, status)


class Caller:
    """One connection on which a call can be awaited."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[int] | None = None
        self._connection: Connection | None = None

    async def open(self, port: int) -> "Caller":
        """Connect."""
        self._connection = await connect(port, self._answered)
        return self

    async def call(self, request: bytes) -> int:
        """Return the status of the answer."""
        assert self._connection is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._connection.send(request)
        return await self._answer

    def close(self) -> None:
        """Hang up."""
        assert self._connection is not None
        self._connection.close()

    def _answered(self, _connection: Connection, status: int) -> None:
        assert self._answer is not None
        self._answer.set_result(status)


async def connect(port: int, answered: Answered) -> Connection:
    """Open a connection to this machine."""
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(lambda: Connection(answered), "127.0.0.1", port)
    return connection


def request(
    port: int, path: str, headers: Mapping[str, str] | None = None, body: bytes = b"", method: str = "POST"
) -> bytes:
    """Return a request, byte for byte."""
    named = {"host": f"127.0.0.1:{port}", "content-length": str(len(body)), **(headers or {})}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
