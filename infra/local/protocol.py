"""Connections as the fleet serves them: bounded in number, size and patience before anybody is known.

| what may come before a request is whole | bound |
|---|---|
| connections | `Bounds.connections`; beyond, the one that has said nothing for longest gives way |
| request line and headers | `HEAD_BYTES` |
| time to complete them, or to begin another request | `HEAD_SECONDS` |
"""

import asyncio
import logging
import resource
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from infra.local.own_socket import is_own

HEAD_BYTES: Final = 32 * 1024
HEAD_SECONDS: Final = 10.0
MOST_CONNECTIONS: Final = 1024
MOST_FILES: Final = 65_536
WHOLE: Final = -1
TOO_LARGE, TOO_SLOW, FULL, STRANGER = (
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.FORBIDDEN,
)
NO_REQUEST: Final = "what came was no request"
_WHY: Final = {
    TOO_LARGE: f"its head is larger than {HEAD_BYTES} bytes",
    TOO_SLOW: f"its head was not whole within {HEAD_SECONDS:g} s",
    FULL: "there are more connections than there is room for",
    STRANGER: "another user's process is at its other end",
}


def own_descriptors() -> int:
    """Raise the limit on open files as far as may be; return how many of them connections may take.

    The rest is for the database, its log, and the calls to vendors, which a stranger must not use up.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return min(MOST_CONNECTIONS, soft // 2) if soft != resource.RLIM_INFINITY else MOST_CONNECTIONS


@dataclass(slots=True)
class Bounds:
    """What one listener allows, whom it tells of what it turned away, and who says nothing at present."""

    tell: Callable[[str], None]
    broke: Callable[[BaseException], None]
    connections: int = MOST_CONNECTIONS
    own_only: bool = False
    open: set["BoundedProtocol"] = field(default_factory=set)
    silent: dict["BoundedProtocol", None] = field(default_factory=dict)


def bounded(bounds: Bounds) -> type[HttpToolsProtocol]:
    """Return the protocol of one listener."""
    # Not of the tree of loggers: what it hears reaches nobody but us.
    logger = logging.Logger("keyfleet.http", logging.WARNING)  # noqa: LOG001
    logger.addHandler(_Teller(bounds))
    return type("Bounded", (BoundedProtocol,), {"bounds": bounds, "told": logger})


class BoundedProtocol(HttpToolsProtocol):
    """One connection: its head is counted and timed, and what is no request is told of sparingly."""

    bounds: Bounds
    told: logging.Logger

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.logger = self.told
        self._head, self._anew = 0, False
        self._handed_over = False
        self._limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base does
        """Take a connection up, if it may be one and there is room."""
        super().connection_made(transport)
        if self.bounds.own_only and not _is_own(transport):
            self.refuse(STRANGER)
            return
        self._make_room()
        self.bounds.open.add(self)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let a connection go."""
        self.bounds.open.discard(self)
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, while the head of a request is within its bounds."""
        self._anew = False
        super().data_received(data)
        if self.transport.is_closing() or self._head == WHOLE or self._handed_over:
            return
        self._head += 0 if self._anew else len(data)
        if self._head > HEAD_BYTES:
            self.refuse(TOO_LARGE)
        elif not self._answering:
            self._wait()

    def on_message_begin(self) -> None:
        """Begin to count and to time a request's head."""
        self._head, self._anew = 0, True
        self._wait()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Serve a request whose head is whole and not too large."""
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES:
            self.refuse(TOO_LARGE)
            return
        self._head = WHOLE
        self._stop_waiting()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass on a body, unless its head was refused."""
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait for the next request."""
        if self.transport.is_closing():
            return
        super().on_message_complete()
        self._head, self._anew = 0, True

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to a socket's protocol: it counts on, and has no head to wait for."""
        super().handle_websocket_upgrade()
        self._handed_over = True
        self._stop_waiting()
        socket: Any = self.transport.get_protocol()
        lost = socket.connection_lost

        def connection_lost(exc: Exception | None) -> None:
            self.bounds.open.discard(self)
            lost(exc)

        socket.connection_lost = connection_lost

    @property
    def _answering(self) -> bool:
        cycle: Any = self.cycle  # which is None before the first request, whatever its base declares
        return cycle is not None and not cycle.response_complete

    def _make_room(self) -> None:
        if len(self.bounds.open) < self.bounds.connections:
            return
        longest = next(iter(self.bounds.silent), self)
        longest.refuse(FULL)

    def _wait(self) -> None:
        if self._limit is None and not self.transport.is_closing():
            self.bounds.silent[self] = None
            self._limit = self.loop.call_later(HEAD_SECONDS, self.refuse, TOO_SLOW)

    def _stop_waiting(self) -> None:
        self.bounds.silent.pop(self, None)
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def refuse(self, status: HTTPStatus) -> None:
        """Say why, and close."""
        self.bounds.open.discard(self)
        self._stop_waiting()
        self.bounds.tell(_WHY[status])
        self.transport.write(_answer(status))
        self.transport.close()


def web_socket(**settings: Any) -> asyncio.Protocol:
    """Speak with a socket; what does is loaded by the first that is opened, and most fleets see none."""
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

    return WebSocketsSansIOProtocol(**settings)


def _answer(status: HTTPStatus) -> bytes:
    said = f"{_WHY[status]}\n".encode()
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: text/plain\r\n"
    return f"{head}content-length: {len(said)}\r\nconnection: close\r\n\r\n".encode() + said


def _is_own(transport: asyncio.Transport) -> bool:
    with transport.get_extra_info("socket").dup() as peer:
        return is_own(peer)


class _Teller(logging.Handler):
    """Passes on that the server complained, never in its words: they may quote what a stranger sent."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__()
        self._bounds = bounds

    def emit(self, record: logging.LogRecord) -> None:
        """Tell what broke by its place, and all else by its kind."""
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            self._bounds.broke(error)
        else:
            self._bounds.tell(NO_REQUEST)
