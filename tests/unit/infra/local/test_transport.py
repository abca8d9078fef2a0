"""Calls: straight into an application, and over real sockets, with the same faults told apart."""

import asyncio
import contextlib
from contextvars import ContextVar

import pytest
from starlette.responses import PlainTextResponse

from infra.local.simulation.loop import run_virtually
from infra.local.transport import ByAddress, InProcess, Sockets
from shared.vendor_kit.http import Answer, Call, ConnectionBroken, ConnectionFailed, TimedOut


async def _mirror(scope, receive, send):
    body = (await receive())["body"]
    headers = {"x-path": scope["path"], "x-host": dict(scope["headers"])[b"host"].decode()}
    await PlainTextResponse(body, 201, headers)(scope, receive, send)


async def test_an_application_gets_the_call_and_gives_the_answer():
    answer = await InProcess(_mirror).send(Call("POST", "http://127.0.0.1:1/a", body=b"hello"))
    assert (answer.status, answer.body, answer.headers["x-path"]) == (201, b"hello", "/a")
    assert answer.headers["x-host"] == "127.0.0.1:1"


async def test_what_the_caller_knows_does_not_travel_along():
    known = ContextVar("known", default="nothing")
    known.set("tenant A")

    async def tells(scope, receive, send):
        await PlainTextResponse(known.get())(scope, receive, send)

    assert (await InProcess(tells).send(Call("GET", "http://h/"))).body == b"nothing"


async def test_a_path_is_decoded_and_the_callers_own_host_ignored():
    call = Call("GET", "http://127.0.0.1:1/a%20b", {"Host": "evil.example", "X-Name": "کابل"})
    answer = await InProcess(_mirror).send(call)
    assert (answer.headers["x-path"], answer.headers["x-host"]) == ("/a b", "127.0.0.1:1")


async def test_an_application_that_breaks_off_is_a_broken_connection():
    async def broken(scope, receive, send):
        raise RuntimeError("canary")

    with pytest.raises(ConnectionBroken) as fault:
        await InProcess(broken).send(Call("GET", "http://h/"))
    assert "canary" not in str(fault.value)


async def test_an_application_without_an_answer_is_a_broken_connection():
    async def silent(scope, receive, send):
        pass

    with pytest.raises(ConnectionBroken):
        await InProcess(silent).send(Call("GET", "http://h/"))


def test_an_answer_that_comes_with_the_alarm_is_taken():
    """As where a commit held the loop up past both."""

    async def slow(scope, receive, send):
        await asyncio.sleep(0.19)
        await PlainTextResponse("done")(scope, receive, send)

    async def main(_clock):
        loop = asyncio.get_running_loop()
        loop.call_later(0.1, loop._jump, 0.2)
        return await InProcess(slow).send(Call("GET", "http://h/", timeout=0.2))

    assert run_virtually(main).body == b"done"


def test_an_application_goes_on_after_the_caller_gave_up():
    finished = []

    async def slow(scope, receive, send):
        await asyncio.sleep(10)
        finished.append(True)
        await PlainTextResponse("late")(scope, receive, send)

    async def scenario(_clock):
        with pytest.raises(TimedOut):
            await InProcess(slow).send(Call("GET", "http://h/", timeout=1))
        await asyncio.sleep(20)

    run_virtually(scenario)
    assert finished == [True]


def test_closing_stops_what_still_runs():
    async def scenario(_clock):
        transport = InProcess(lambda *_: asyncio.sleep(1000))
        with contextlib.suppress(TimedOut):
            await transport.send(Call("GET", "http://h/", timeout=1))
        await transport.close()
        return asyncio.get_running_loop().time()

    assert run_virtually(scenario) < 10


@contextlib.asynccontextmanager
async def _server(answer: bytes | None):
    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        if answer is None:
            await reader.read()
        else:
            writer.write(answer)
        writer.close()
        await writer.wait_closed()
        done.set()

    done = asyncio.Event()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await done.wait()
    finally:
        server.close()


@pytest.fixture
async def sockets():
    transport = Sockets()
    yield transport
    await transport.close()


async def test_a_socket_carries_the_answer(sockets):
    async with _server(b"HTTP/1.1 418 No\r\nX-A: b\r\nContent-Length: 2\r\n\r\nhi") as url:
        answer = await sockets.send(Call("POST", url, body=b"{}"))
    assert (answer.status, answer.body, answer.headers["x-a"]) == (418, b"hi", "b")


async def test_header_names_are_plain_text_that_can_be_kept(sockets):
    async with _server(b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 0\r\n\r\n") as url:
        answer = await sockets.send(Call("GET", url))
    assert {type(name) for name in answer.headers} == {str}


async def test_cookies_of_one_call_do_not_travel_with_the_next(sockets):
    asked = []

    async def serve(reader, writer):
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nSet-Cookie: session=canary\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(serve, "localhost", 0) as server:
        url = f"http://localhost:{server.sockets[0].getsockname()[1]}/"
        for _ in range(2):
            await sockets.send(Call("GET", url))
    assert len(asked) == 2
    assert b"canary" not in asked[1]


async def test_a_redirect_is_an_answer_and_not_followed(sockets):
    async with _server(
        b"HTTP/1.1 302 F\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n"
    ) as url:
        assert (await sockets.send(Call("GET", url))).status == 302


async def test_a_refused_connection_is_told_from_a_broken_one(sockets):
    async with _server(b"") as url:
        with pytest.raises(ConnectionBroken):
            await sockets.send(Call("GET", url))
    with pytest.raises(ConnectionFailed):
        await sockets.send(Call("GET", url))


async def test_an_answer_cut_short_is_a_broken_connection(sockets):
    async with _server(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") as url:
        with pytest.raises(ConnectionBroken):
            await sockets.send(Call("GET", url))


async def test_no_answer_in_time_is_a_timeout(sockets):
    async with _server(None) as url:
        with pytest.raises(TimedOut):
            await sockets.send(Call("GET", url, timeout=0.05))


class _Named:
    def __init__(self, name):
        self.name = name

    async def send(self, call):
        return Answer(200, body=self.name)


@pytest.mark.parametrize(
    ("url", "way"),
    [
        ("http://127.0.0.1:87/fn", b"in"),
        ("http://127.0.0.1:870/fn", b"out"),
        ("http://127.0.0.1:87.evil.example/", b"out"),
    ],
)
async def test_only_the_fleets_own_address_goes_inside(url, way):
    transport = ByAddress("http://127.0.0.1:87", _Named(b"in"), _Named(b"out"))
    assert (await transport.send(Call("GET", url))).body == way
