"""The one ASGI application: checks Host and Origin, finds the function by name, bounds its time."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.local.counters import Counters
from infra.local.host.functions import Hosted
from infra.manifest.resolved import ABOVE_HANDLER
from shared.kernel.time_limit import TimeLimit
from shared.runtime.platform import deployed
from shared.runtime.responses import CRASHED, json_response, too_late
from shared.runtime.service import deny

CONTROL = "_cloud"
EXECUTION = b"function-execution-id"


class Host:
    """Routes requests to functions by the first part of their path, and to the control plane."""

    def __init__(
        self, functions: Mapping[str, Hosted], control: ASGIApp, authority: str, counters: Counters
    ) -> None:
        self._functions, self._control, self._counters = functions, control, counters
        self._hosts = _spellings(authority)
        self._origins = frozenset(f"http://{host}".encode() for host in map(bytes.decode, self._hosts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(refusal, scope, receive, send)
            return
        await self._dispatch(scope, receive, send)

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        name, _, rest = scope["path"][1:].partition("/")
        hosted = self._functions.get(name)
        if scope["type"] == "websocket" and (hosted is None or not hosted.is_service):
            await _refuse(_not_found(name), scope, receive, send)
        elif hosted is not None:
            await self._call(hosted, {**scope, "path": f"/{rest}", "raw_path": None}, receive, send)
        elif name == CONTROL:
            await self._control({**scope, "path": f"/{rest}", "raw_path": None}, receive, send)
        else:
            await _not_found(name)(scope, receive, send)

    async def _call(self, hosted: Hosted, scope: Scope, receive: Receive, send: Send) -> None:
        token = deployed.set(hosted.deployed)
        self._counters.spend("function_calls")
        # As Google does: where nobody names a call, the framework draws a name for it, and takes its time.
        scope["headers"] = [*scope["headers"], (EXECUTION, b"%012d" % self._counters["function_calls"])]
        answer = _Started(send)
        try:
            with TimeLimit(_patience(hosted)):
                await hosted.app(scope, receive, answer)
        except TimeoutError:
            if not answer.started:
                await too_late(hosted.deployed)(scope, receive, send)
        except (SystemExit, KeyboardInterrupt):
            # A function that asks to exit ends itself, not the fleet it shares a process with.
            if not answer.started:
                await _exited()(scope, receive, send)
        finally:
            deployed.reset(token)

    def _refusal(self, scope: Scope) -> Response | None:
        # A web page must not reach the fleet: not by a name that resolves to loopback, not by script.
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return json_response(
                {"error": {"kind": "WrongHost", "detail": "call the fleet by its own address"}}, 421
            )
        if len(origins) > 1 or not self._origins.issuperset(origins):
            return json_response({"error": {"kind": "WrongOrigin", "detail": "no other site may call"}}, 403)
        return None


class _Started:
    """Passes an answer on, and remembers whether it has begun."""

    __slots__ = ("_send", "started")

    def __init__(self, send: Send) -> None:
        self._send, self.started = send, False

    async def __call__(self, message: Any) -> None:
        self.started = True
        await self._send(message)


def _patience(hosted: Hosted) -> float | None:
    """Return when a request is ended from outside: later than by its handler, which can say more of it."""
    return None if hosted.is_service else hosted.deployed.timeout + ABOVE_HANDLER


def _spellings(authority: str) -> frozenset[bytes]:
    port = authority.rpartition(":")[2]
    return frozenset(f"{host}:{port}".encode() for host in ("127.0.0.1", "localhost", "[::1]"))


def _not_found(name: str) -> Response:
    detail = f"no function of that name ({len(name)} characters): see keyfleet status"
    return json_response({"error": {"kind": "NotFound", "detail": detail}}, 404)


def _exited() -> Response:
    return Response("the function asked to exit", 500, CRASHED, media_type="text/plain")


async def _refuse(refusal: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await deny(refusal, scope, receive, send)
    else:
        await refusal(scope, receive, send)


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
