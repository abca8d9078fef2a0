"""One kept connection to an http:// address: requests go out one at a time, and answers are put together."""

import asyncio
import select
from typing import Final, cast

import httptools

from shared.vendor_kit.http import Answer, CallFault, ConnectionBroken, ConnectionFailed, TimedOut

LARGEST_HEAD: Final = 64 * 1024


class Connection(asyncio.Protocol):
    """A connection, in the book while it is open; `whole` says that it may carry another request."""

    def __init__(self, largest: int, book: dict["Connection", None]) -> None:
        self._largest, self._book = largest, book
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._listening = select.poll()
        self._answer: asyncio.Future[Answer] | None = None
        self.gone: asyncio.Future[None]
        self._begin()
        self.whole, self.rests_since = False, 0.0

    @property
    def at_rest(self) -> bool:
        """Whether the other end has neither hung up nor spoken unasked, even if we have not been told yet."""
        return self.whole and not self._listening.poll(0)

    async def exchange(self, request: bytes, within: float, until: float) -> Answer:
        """Return the answer to a request; whatever else happens, hang up."""
        if self._transport is None or self._transport.is_closing():
            raise ConnectionFailed("the other end hung up before it was asked")
        loop = asyncio.get_running_loop()
        self._begin()
        self._answer, self.whole = loop.create_future(), False
        timer = loop.call_at(until, self._fail, TimedOut(f"no answer within {within:g} s"))
        self._transport.write(request)
        try:
            return await self._answer
        finally:
            timer.cancel()
            if not self.whole:
                self.hang_up()

    def hang_up(self) -> None:
        """End the connection at once."""
        self.whole = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Be ready to send."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own is no subclass of it
        self._book[self] = None
        self.gone = asyncio.get_running_loop().create_future()
        self._listening.register(transport.get_extra_info("socket").fileno(), select.POLLIN)

    def data_received(self, data: bytes) -> None:
        """Take in a part of an answer."""
        if not self._awaited:
            self.hang_up()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.whole = False
            self._fail(ConnectionBroken(type(error).__name__))
        if not self._headed:
            self._length += len(data)
            self._bound(self._length, LARGEST_HEAD)

    def eof_received(self) -> None:
        """Carry nothing more."""
        self.whole = False

    def connection_lost(self, exc: Exception | None) -> None:
        """Take the end for the answer's own if nothing else was to end it, and for a fault otherwise."""
        self.whole = False
        self._book.pop(self, None)
        self.gone.set_result(None)
        if exc is None and self._headed and self._ends_with_connection():
            self._succeed()
        self._fail(ConnectionBroken("the other end hung up" if exc is None else type(exc).__name__))

    def on_message_begin(self) -> None:
        """Expect one answer and no second."""
        if not self._awaited:
            self.whole = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Note a header; what comes after the body is none."""
        if not self._headed:
            self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Go on to the body."""
        self._headed, self._length = True, 0

    def on_body(self, part: bytes) -> None:
        """Keep a part of the body."""
        self._length += len(part)
        self._body.append(part)
        self._bound(self._length, self._largest)

    def on_message_complete(self) -> None:
        """Give the answer, unless it was only the announcement of one."""
        if self._parser.get_status_code() >= 200:
            self.whole = self._awaited and self._parser.should_keep_alive()
            self._succeed()
        self._begin()

    @property
    def _awaited(self) -> bool:
        return self._answer is not None and not self._answer.done()

    def _begin(self) -> None:
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._headed, self._length = False, 0

    def _ends_with_connection(self) -> bool:
        return "content-length" not in self._headers and "transfer-encoding" not in self._headers

    def _bound(self, length: int, largest: int) -> None:
        if length > largest:
            self._fail(ConnectionBroken(f"the answer is longer than {largest} bytes"))

    def _succeed(self) -> None:
        if self._answer is not None and not self._answer.done():
            body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
            self._answer.set_result(Answer(self._parser.get_status_code(), self._headers, body))

    def _fail(self, fault: CallFault) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(fault)
