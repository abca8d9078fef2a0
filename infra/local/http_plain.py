"""Ordinary calls to http:// addresses, on kept connections, at a fraction of what a whole client costs.

Nothing is ever sent twice: a kept connection that the other end has closed is found out before it is used,
and one that breaks later is a ConnectionBroken.
"""

import asyncio
import re
from collections import defaultdict, deque
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from infra.local.http_connection import Connection
from shared.vendor_kit.http import (
    CONNECT_SECONDS,
    KEPT_SECONDS,
    Answer,
    Call,
    ConnectionFailed,
    TimedOut,
)

ADDRESS: Final = re.compile(
    r"http://(([a-z0-9.-]+)(?::([0-9]{1,5}))?)([/?][\w.~!$&'()*+,;=:@/?%-]*)?", re.ASCII
)
METHODS: Final = frozenset({"DELETE", "GET", "PATCH", "POST", "PUT"})
OURS: Final = frozenset({"connection", "content-length", "expect", "host", "transfer-encoding", "upgrade"})
"""Headers that say how a call is made and not what it says; who sends them himself is no ordinary caller."""

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Request:
    """An ordinary call, as it goes over the wire."""

    place: Place
    octets: bytes = field(repr=False)
    timeout: float


class PlainClient:
    """Connections to any number of places, with one request at a time on each."""

    def __init__(self, connections: int, largest: int) -> None:
        self._limit, self._largest = connections, largest
        self._slots = asyncio.Semaphore(connections)
        self._resting: dict[Place, deque[Connection]] = defaultdict(deque)
        self._open: dict[Connection, None] = {}

    @staticmethod
    def request(call: Call) -> Request | None:
        """Return the call as it goes over the wire; None if it is not an ordinary one."""
        address = ADDRESS.fullmatch(call.url)
        if address is None or call.method not in METHODS or not OURS.isdisjoint(map(str.lower, call.headers)):
            return None
        host, name, port, target = address.groups()
        target = target if target is not None and target.startswith("/") else f"/{target or ''}"
        first = f"{call.method} {target} HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n"
        octets = f"{first}{_lines(call)}\r\n".encode() + call.body
        return Request((name, int(port or 80)), octets, call.timeout)

    async def exchange(self, request: Request) -> Answer:
        """Return the answer, or raise a CallFault."""
        until = asyncio.get_running_loop().time() + request.timeout
        await self._slot(until, request)
        try:
            connection = self._rested(request.place) or await self._connected(request, until)
            answer = await connection.exchange(request.octets, request.timeout, until)
            self._rest(request.place, connection)
            return answer
        finally:
            self._slots.release()

    async def close(self) -> None:
        """Hang up everywhere."""
        going = list(self._open)
        for connection in going:
            connection.hang_up()
        await asyncio.gather(*(connection.gone for connection in going))

    async def _slot(self, until: float, request: Request) -> None:
        if not self._slots.locked():
            await self._slots.acquire()
            return
        try:
            async with asyncio.timeout_at(until):
                await self._slots.acquire()
        except TimeoutError:
            raise TimedOut(f"no answer within {request.timeout:g} s") from None

    def _rested(self, place: Place) -> Connection | None:
        """Return the connection used last, for the others may be closed by and by."""
        resting = self._resting[place]
        fresh = asyncio.get_running_loop().time() - KEPT_SECONDS
        while resting:
            connection = resting.pop()
            if connection.rests_since > fresh and connection.at_rest:
                return connection
            connection.hang_up()
        return None

    def _rest(self, place: Place, connection: Connection) -> None:
        if not connection.whole:
            return
        connection.rests_since = now = asyncio.get_running_loop().time()
        resting = self._resting[place]
        resting.append(connection)
        if resting[0].rests_since <= now - KEPT_SECONDS:
            resting.popleft().hang_up()

    async def _connected(self, request: Request, until: float) -> Connection:
        loop = asyncio.get_running_loop()
        self._make_room()
        try:
            async with asyncio.timeout_at(min(until, loop.time() + CONNECT_SECONDS)):
                _, connection = await loop.create_connection(self._new, *request.place)
        except (OSError, OverflowError, UnicodeError) as error:
            raise ConnectionFailed(type(error).__name__) from None
        return connection

    def _new(self) -> Connection:
        return Connection(self._largest, self._open)

    def _make_room(self) -> None:
        excess = len(self._open) - self._limit + 1
        resting = (connection for place in self._resting.values() for connection in place if connection.whole)
        for connection in list(islice(resting, max(0, excess))):
            connection.hang_up()


def _lines(call: Call) -> str:
    lines = "".join(f"{name}: {value}\r\n" for name, value in call.headers.items())
    if not lines.count("\n") == lines.count("\r") == len(call.headers) or "\0" in lines:
        raise ConnectionFailed("a header that would be two")
    return lines if _bodiless(call) else f"{lines}Content-Length: {len(call.body)}\r\n"


def _bodiless(call: Call) -> bool:
    return not call.body and call.method == "GET"
