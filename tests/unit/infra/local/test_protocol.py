"""Before anybody is known: how many may connect, how much they may say, and how long they may take."""

import asyncio
import io
import resource
import subprocess
import sys

import pytest
import uvicorn
import uvloop
from uvicorn.server import ServerState

from infra.local import protocol, server
from infra.local.protocol import HEAD_BYTES, Bounds, bounded, own_descriptors
from shared.kernel.log import Log

GET = b"GET / HTTP/1.1\r\nHost: x\r\n"


class Served:
    """A listener with bounds, and what it told."""

    def __init__(self, app, **bounds):
        self.told, self.broken, self._writers = [], [], []
        self.bounds = Bounds(self.told.append, self.broken.append, **bounds)
        self._settings = uvicorn.Config(
            app, loop="none", lifespan="off", http=bounded(self.bounds), access_log=False, log_config=None
        )

    async def __aenter__(self):
        self._settings.load()
        loop, state = asyncio.get_running_loop(), ServerState()
        self._server = await loop.create_server(
            lambda: self._settings.http_protocol_class(self._settings, state, {}), "127.0.0.1", 0
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for writer in self._writers:
            writer.close()
        await asyncio.gather(*(each.wait_closed() for each in self._writers), return_exceptions=True)

    async def connect(self, said=b""):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self._writers.append(writer)
        writer.write(said)
        return reader, writer

    async def answer(self, said):
        reader, writer = await self.connect(said)
        writer.write_eof()
        answer = await reader.read()
        writer.close()
        return answer


async def ok(_scope, receive, send):
    """Read the body and answer with its length."""
    length, more = 0, True
    while more:
        message = await receive()
        length, more = length + len(message.get("body", b"")), message.get("more_body", False)
    body = b"%d" % length
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]}
    )
    await send({"type": "http.response.body", "body": body})


async def broken(_scope, _receive, _send):
    """Break."""
    raise ZeroDivisionError("canary 4711")


def playing(scenario, app=ok, **bounds):
    async def play():
        async with Served(app, **bounds) as served:
            return await scenario(served)

    return uvloop.run(play())


def test_a_request_within_its_bounds_is_served():
    head = GET + b"X: " + b"a" * (HEAD_BYTES - 100) + b"\r\n"

    async def scenario(served):
        return await served.answer(head + b"Content-Length: 300000\r\n\r\n" + b"b" * 300_000), served.told

    answer, told = playing(scenario)
    assert answer.endswith(b"\r\n\r\n300000")
    assert told == []


@pytest.mark.parametrize(
    "said",
    [
        GET + b"X: " + b"a" * HEAD_BYTES + b"\r\n\r\n",
        GET + b"X: " + b"a" * 3_000_000,
        b"GET /" + b"a" * 3_000_000,
        GET + b"X: a\r\n" * 500_000,
    ],
    ids=["whole", "a header without an end", "an address without an end", "headers without an end"],
)
def test_s6_a_head_without_an_end_is_cut_off_and_not_kept(said):
    async def scenario(served):
        reader, writer = await served.connect()
        try:
            writer.write(said)
            await writer.drain()
            answer = await reader.read()
        except ConnectionError:
            answer = b"cut off"
        writer.close()
        return answer, served.told, len(served.bounds.open)

    answer, told, left = playing(scenario)
    assert answer == b"cut off" or answer.startswith(b"HTTP/1.1 431 ")
    assert told == [f"its head is larger than {HEAD_BYTES} bytes"]
    assert left == 0


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\n", b"\r\n"], ids=["nothing", "half", "no line"])
def test_s6_a_request_that_never_comes_is_not_waited_for(monkeypatch, said):
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.05)

    async def scenario(served):
        reader, _ = await served.connect(said)
        return await reader.read(), served.told

    answer, told = playing(scenario)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert len(told) == 1


def test_s6_a_second_request_on_a_connection_is_waited_for_as_long(monkeypatch):
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.05)

    async def scenario(served):
        reader, _ = await served.connect(GET + b"\r\n" + GET)
        return await reader.read()

    assert playing(scenario).count(b"HTTP/1.1 ") == 2


def test_an_answer_that_takes_long_is_no_silence(monkeypatch):
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.02)

    async def slow(scope, receive, send):
        await asyncio.sleep(0.1)
        await ok(scope, receive, send)

    async def scenario(served):
        head = GET + b"Connection: close\r\nContent-Length: 9\r\n\r\n"
        reader, _ = await served.connect(head + b"b" * 9)
        return await reader.read()

    assert playing(scenario, app=slow).endswith(b"\r\n\r\n9")


def test_s6_who_says_nothing_gives_way_to_who_asks():
    async def scenario(served):
        silent = [await served.connect(b"GET / HTTP/1.1\r\n") for _ in range(8)]
        answers = [await served.answer(GET + b"\r\n") for _ in range(8)]
        most = len(served.bounds.open)
        for _, writer in silent:
            writer.close()
        return answers, most

    answers, most = playing(scenario, connections=4)
    assert all(answer.startswith(b"HTTP/1.1 200 ") for answer in answers)
    assert most <= 4


def test_s6_descriptors_are_kept_for_the_database_and_the_vendors():
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = own_descriptors()
    after, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert after >= soft
    assert after == min(hard, protocol.MOST_FILES) or hard == resource.RLIM_INFINITY
    assert 0 < allowed <= after // 2


@pytest.mark.parametrize(
    "said",
    [
        b"\x16\x03\x01\x00\xa5junk\r\n\r\n",
        b"PIN 482913\r\n\r\n",
        GET + b"Connection: upgrade\r\nUpgrade: h2c\r\n\r\n",
    ],
    ids=["tls", "words", "upgrade"],
)
def test_ec4_what_is_no_request_writes_no_line_of_its_own(said, capfd):
    async def scenario(served):
        await served.answer(said)
        return served.told

    told = playing(scenario)
    assert set(told) <= {protocol.NO_REQUEST}
    assert capfd.readouterr() == ("", "")


def test_an_application_that_breaks_is_told_by_its_place(capfd):
    async def scenario(served):
        return await served.answer(GET + b"\r\n"), served.broken

    answer, (error,) = playing(scenario, app=broken)
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert isinstance(error, ZeroDivisionError)
    assert capfd.readouterr() == ("", "")


def test_s2_the_private_socket_serves_nobody_elses_process(tmp_path, monkeypatch):
    monkeypatch.setattr(protocol, "is_own", lambda _peer: False)

    async def scenario(served):
        return await served.answer(GET + b"\r\n"), served.told

    answer, told = playing(scenario, own_only=True)
    assert b"200" not in answer.partition(b"\r\n")[0]
    assert told == ["another user's process is at its other end"]


def test_s7_what_strangers_cause_is_said_once_a_minute():
    stream, clock = io.StringIO(), _Clock()
    log = Log("keyfleet", stream, clock.now)
    for _ in range(1000):
        log.seldom("a connection was turned away", "its head is too large")
    log.seldom("a connection was turned away", "what came was no request")
    clock.minutes += 1
    log.seldom("a connection was turned away", "its head is too large")
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert '"unsaid":999' in lines[-1]


class _Clock:
    minutes = 0

    def now(self):
        from datetime import UTC, datetime, timedelta

        return datetime(2026, 5, 1, tzinfo=UTC) + timedelta(minutes=self.minutes)


def test_l14_no_request_says_from_where_it_came():
    settings = server._settings(ok, Bounds(print, print))
    settings.load()
    assert settings.loaded_app is ok


def test_a_fleet_that_nobody_asks_has_read_in_neither_the_control_plane_nor_what_speaks_with_sockets():
    """It costs each fleet megabytes; tests/unit/shared/runtime/test_service.py opens sockets."""
    late = {"infra.local.control.app", "infra.local.departure", "shared.keywork.services", "websockets"}
    loads = (
        "import sys; from infra.local import server; "
        f"server._settings(None, server.Bounds(print, print)).load(); print({late} & {{*sys.modules}})"
    )
    done = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
