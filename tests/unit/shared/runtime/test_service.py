"""Services: streams and sockets of their own, whose callers are judged before the application sees them."""

import asyncio
import sys
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from infra.local.host.functions import host_function
from infra.local.protocol import web_socket
from shared.domain.permissions import Role
from shared.runtime.platform import Deployed
from shared.runtime.service import Service, caller_of, service
from tests.support.staffed import staffed
from tests.unit.shared.kernel.test_trace import HEADER as TRACE

HERE = sys.modules[__name__]
BUILT = []


async def _who(request):
    caller = caller_of(request)
    return PlainTextResponse(f"{getattr(caller, 'id', caller)} {request.url.path}")


async def _stream(request):
    async def parts():
        for number in range(3):
            yield f"{number}\n"
            await asyncio.sleep(0)
        if "crash" in request.url.query:
            raise ZeroDivisionError("canary 4711")
        if "endless" in request.url.query:
            await asyncio.sleep(3600)

    return StreamingResponse(parts(), media_type="text/plain")


async def _crash(request):
    raise ZeroDivisionError("canary 4711")


async def _echo(websocket):
    await websocket.accept()
    while True:
        said = await websocket.receive_text()
        if said == "crash":
            raise ZeroDivisionError("canary 4711")
        await websocket.send_text(f"{caller_of(websocket).id}: {said}")


async def _shy(websocket):
    raise ZeroDivisionError("canary 4711")


@service
def sample_relay(on):
    """Build an application with a stream and a socket."""
    BUILT.append(on)
    return Starlette(
        routes=[
            Route("/who", _who),
            Route("/stream", _stream),
            Route("/crash", _crash),
            WebSocketRoute("/echo", _echo),
            WebSocketRoute("/shy", _shy),
        ]
    )


def _functions(base):
    kinds = {
        "people-relay": {"people": True},
        "public-relay": {"public": True},
        "inner-relay": {"callers": frozenset({"operator"})},
        "brief-relay": {"people": True, "timeout": 1.0},
    }
    return {
        name: host_function(
            Deployed(name, f"{base}/{name}", roles=frozenset({"documents"}), **kind), HERE, "sample_relay"
        )
        for name, kind in kinds.items()
    }


@pytest.fixture
async def staff(tmp_path):
    async with staffed(tmp_path, _functions, ws=web_socket) as opened:
        opened.clerk = opened.badge(Role.FRONT_DESK)
        yield opened


@asynccontextmanager
async def socket(staff, path, token=None, **options):
    """A socket to the house."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"ws://127.0.0.1:{staff.house.port}{path}"
    async with connect(
        url, additional_headers={**headers, **options.pop("headers", {})}, **options
    ) as opened:
        yield opened


async def refused(staff, path, token=None, **options):
    """Return the status that a socket was refused with, and what was said."""
    with pytest.raises(InvalidStatus) as refusal:
        async with socket(staff, path, token, **options):
            pass
    return refusal.value.response.status_code, refusal.value.response.body


async def test_people_are_proven_before_the_application_sees_them(staff):
    status, _, told = await staff.ask("GET", "/people-relay/who", staff.clerk)
    assert (status, told) == (200, b"usr_1 /who")
    for who, token in staff.strangers("people-relay").items():
        if who not in {"another tenant", "another property", "no property", "a lower role", "no role"}:
            status, _, told = await staff.ask("GET", "/people-relay/who", token)
            assert (status, told["code"]) == (401, "unauthenticated"), who


async def test_a_descriptor_says_who_may_call(staff):
    services = staff.house.fleet.identity
    inner = services.token("operator", f"{staff.url}/inner-relay")
    other = services.token("cloud-tasks", f"{staff.url}/inner-relay")
    statuses = [
        (await staff.ask("GET", "/inner-relay/who", each))[0] for each in (inner, other, staff.clerk, None)
    ]
    assert statuses == [200, 403, 401, 401]
    assert (await staff.ask("GET", "/public-relay/who"))[2] == b"None /who"


async def test_a_stream_comes_part_by_part_and_one_that_breaks_off_does_not_look_whole(staff):
    assert (await staff.ask("GET", "/people-relay/stream", staff.clerk))[2] == b"0\n1\n2\n"
    import aiohttp

    with pytest.raises(aiohttp.ClientPayloadError):
        await staff.ask("GET", "/people-relay/stream?crash", staff.clerk)
    with pytest.raises(aiohttp.ClientPayloadError):
        await staff.ask("GET", "/brief-relay/stream?endless", staff.clerk)
    assert "canary" not in staff.house.log.getvalue()


async def test_a_crash_is_told_without_its_words_and_logged_by_its_place(staff):
    status, _, told = await staff.ask("GET", "/people-relay/crash", staff.clerk)
    assert status == 500
    assert "canary" not in str(told) + staff.house.log.getvalue()
    assert [line for line in staff.house.said() if "the service crashed" in line]


async def test_a_socket_speaks_with_whom_it_knows(staff):
    async with socket(staff, "/people-relay/echo", staff.clerk, headers={"traceparent": TRACE}) as opened:
        await opened.send("one")
        await opened.send("two")
        assert [await opened.recv(), await opened.recv()] == ["usr_1: one", "usr_1: two"]


async def test_a_socket_of_nobody_is_refused_before_it_is_one(staff):
    for token in (None, "a.b.c", staff.gm(staff.evil)):
        status, body = await refused(staff, "/people-relay/echo", token)
        assert (status, b"unauthenticated" in body) == (401, True)


async def test_host_and_origin_are_judged_before_a_socket_is_opened(staff):
    path, token = "/people-relay/echo", staff.clerk
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{staff.house.port}"):
        assert (await refused(staff, path, token, origin=origin))[0] == 403
    async with socket(staff, path, token, origin=staff.url):
        pass
    rebound = f"ws://evil.example:{staff.house.port}{path}"
    with pytest.raises(InvalidStatus) as refusal:
        async with connect(
            rebound, host="127.0.0.1", additional_headers={"Authorization": f"Bearer {token}"}
        ):
            pass
    assert refusal.value.response.status_code == 421


@pytest.mark.parametrize("path", ["/probe-answer", "/lock-api/lock/v1/me", "/_cloud/status", "/nowhere"])
async def test_nothing_but_a_service_takes_sockets(staff, path):
    assert (await refused(staff, path, staff.clerk))[0] == 404


async def test_a_socket_that_crashes_is_closed_and_the_house_goes_on(staff):
    async with socket(staff, "/people-relay/echo", staff.clerk) as opened:
        await opened.send("crash")
        with pytest.raises(ConnectionClosed) as closed:
            await opened.recv()
    assert closed.value.rcvd.code == 1011
    assert (await refused(staff, "/people-relay/shy", staff.clerk))[0] == 500
    assert "canary" not in staff.house.log.getvalue()
    assert (await staff.ask("GET", "/people-relay/who", staff.clerk))[0] == 200


async def test_a_socket_ends_with_its_functions_time(staff):
    async with socket(staff, "/brief-relay/echo", staff.clerk) as opened:
        with pytest.raises(ConnectionClosed) as closed:
            await opened.recv()
    assert closed.value.rcvd.code == 1013


async def test_an_open_socket_is_counted_and_has_no_head_to_be_waited_for(staff):
    bounds = staff.house.bounds
    before = len(bounds.open)
    async with socket(staff, "/people-relay/echo", staff.clerk) as opened:
        await opened.send("one")
        await opened.recv()
        ours = [each for each in bounds.open if each._handed_over]
        assert (len(ours), len(bounds.open)) == (1, before + 1)
        assert ours[0] not in bounds.silent
        assert ours[0]._limit is None
    async with asyncio.timeout(5):
        while ours[0] in bounds.open:  # noqa: ASYNC110 - the server hears of the end when it does
            await asyncio.sleep(0.005)


async def test_a_caller_that_leaves_is_no_crash(staff):
    async with socket(staff, "/people-relay/echo", staff.clerk) as opened:
        await opened.send("one")
        await opened.recv()
    assert (await staff.ask("GET", "/people-relay/who", staff.clerk))[0] == 200
    assert not [line for line in staff.house.said() if "crashed" in line]


async def test_an_application_is_built_once(staff):
    BUILT.clear()
    sample_relay._built = None
    for _ in range(3):
        await staff.ask("GET", "/people-relay/who", staff.clerk)
    assert len(BUILT) == 1


async def test_a_server_that_starts_and_ends_a_service_is_answered():
    said, asked = [], iter(["lifespan.startup", "lifespan.shutdown"])

    async def receive():
        return {"type": next(asked)}

    async def send(message):
        said.append(message["type"])

    await Service(lambda on: None)({"type": "lifespan"}, receive, send)
    assert said == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def test_the_entry_keeps_the_builder_it_was_made_of():
    assert sample_relay.__wrapped__.__name__ == "sample_relay"
