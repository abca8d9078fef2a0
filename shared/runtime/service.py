"""The entry of an application of its own: paths, streams, sockets, and callers judged before it sees them."""

import asyncio
import functools
from collections.abc import Callable
from typing import Final

from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from shared.domain.permissions import Principal
from shared.kernel.identity import Caller, bearer
from shared.kernel.log import log_context
from shared.kernel.spans import traced
from shared.kernel.trace import trace_of
from shared.runtime.access import admit
from shared.runtime.platform import Deployed, Platform, platform, this_function
from shared.runtime.problems import TOLD_AS, problem_response

Build = Callable[[Platform], ASGIApp]
CALLER: Final = "keyfleet.caller"
"""Where the scope holds who was proven: a Principal, a Caller, or None where anybody may come."""
DENIES: Final = "websocket.http.response"
INTERNAL_ERROR, TRY_AGAIN_LATER = 1011, 1013


def service(build: Build) -> "Service":
    """Make an entry point of an application, which is built with its first request."""
    return Service(build)


def caller_of(connection: HTTPConnection) -> Principal | Caller | None:
    """Return who was proven to make this connection."""
    caller: Principal | Caller | None = connection.scope[CALLER]
    return caller


class Service:
    """An ASGI application: what its descriptor says of callers and time holds for sockets and streams too."""

    def __init__(self, build: Build) -> None:
        self.__wrapped__ = build
        functools.update_wrapper(self, build)
        self._built: tuple[Platform, ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, one socket, or the server's start and end."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        connection, sent = HTTPConnection(scope), _Sent(scope, receive, send)
        try:
            on, function = platform(), this_function()
            trace = trace_of(connection.headers.get("traceparent"))
            request_id = f"req_{on.ids.ulid()}"
            with (
                log_context(function=function.name, trace=trace, request=request_id),
                traced(on.tracing, function.name, trace),
            ):
                await self._serve(connection, sent, function, on)
        except Exception as error:  # noqa: BLE001 - the outermost line of a service: nothing may escape with its words
            await sent.refuse(error)

    async def _serve(
        self, connection: HTTPConnection, sent: "_Sent", function: Deployed, on: Platform
    ) -> None:
        try:
            async with asyncio.timeout(function.timeout):
                connection.scope[CALLER] = await _proven(connection, function, on)
                await self._app(on)(connection.scope, sent.receive, sent)
        except (ClientDisconnect, WebSocketDisconnect):
            return
        except tuple(TOLD_AS) as error:
            await sent.refuse(error)
        except Exception as error:  # noqa: BLE001 - logged by place and type, answered as a crash
            on.log.failure("the service crashed", error)
            await sent.refuse(error)

    def _app(self, on: Platform) -> ASGIApp:
        if self._built is None or self._built[0] is not on:
            self._built = (on, self.__wrapped__(on))
        return self._built[1]


class _Sent:
    """Passes an answer on, and knows what can still be said: a refusal, a close, or nothing."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.receive = receive
        self._scope, self._send = scope, send
        self._begun = self._over = False

    async def __call__(self, message: Message) -> None:
        self._begun = True
        self._over = self._over or _is_last(message)
        await self._send(message)

    async def refuse(self, error: Exception) -> None:
        """End it, as far as it has not ended: with a problem if nothing was said yet."""
        if self._over:
            return
        if self._scope["type"] == "http":
            # A stream that breaks off in the middle must not look like one that came to its end.
            if self._begun:
                raise ConnectionAbortedError("the answer broke off") from None
            await problem_response(error, "")(self._scope, self.receive, self._send)
        elif self._begun:
            late = isinstance(error, TimeoutError)
            await self({"type": "websocket.close", "code": TRY_AGAIN_LATER if late else INTERNAL_ERROR})
        else:
            await deny(problem_response(error, ""), self._scope, self.receive, self._send)


def _is_last(message: Message) -> bool:
    ends_body = message["type"] == "http.response.body" and not message.get("more_body", False)
    return ends_body or message["type"] == "websocket.close"


async def deny(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a socket before it is one: by an answer where the server can, else by closing it."""
    if DENIES in scope.get("extensions", {}):
        await response(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1008})


async def _proven(connection: HTTPConnection, function: Deployed, on: Platform) -> Principal | Caller | None:
    if not function.people:
        return await admit(connection, function, on)
    said = connection.headers.get("authorization")
    bearer(said)  # who says nothing is told so before anything is loaded
    from shared.runtime.people import people_of

    return await people_of(on).principal(said)


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
