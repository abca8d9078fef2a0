"""Ordinary calls to http:// addresses: kept connections, nothing sent twice, and answers of every shape."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest
import uvloop

from infra.local import http_connection, http_plain
from infra.local.http_plain import PlainClient
from infra.local.transport import Sockets
from shared.vendor_kit.http import Call, ConnectionBroken, ConnectionFailed, TimedOut
from tests.support.raw_vendor import OK, vendor


@pytest.fixture
async def client():
    client = PlainClient(connections=4, largest=1000)
    yield client
    await client.close()


async def sent(client, call):
    """Make a call that is known to be ordinary."""
    return await client.exchange(client.request(call))


class Line:
    """One connection from the vendor's end."""

    def __init__(self, reader, writer):
        self.reader, self.writer, self.heads = reader, writer, []
        self.over = asyncio.Event()

    async def hear(self):
        self.heads.append(await self.reader.readuntil(b"\r\n\r\n"))

    async def say(self, *parts):
        for part in parts:
            self.writer.write(part)
            await self.writer.drain()
            await asyncio.sleep(0)


@asynccontextmanager
async def line(behave):
    """Serve every connection with a function of it; yield the address and the connections so far."""
    lines = []

    async def serve(reader, writer):
        ours = Line(reader, writer)
        lines.append(ours)
        try:
            await behave(ours)
        except (asyncio.IncompleteReadError, ConnectionError):
            ours.heads.append("hung up")
        ours.over.set()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", lines


async def patient(a_line):
    """Answer every request."""
    while True:
        await a_line.hear()
        await a_line.say(OK)


async def silent(a_line):
    """Answer no request, and wait for the caller to hang up."""
    await a_line.hear()
    await a_line.hear()


class TestConnections:
    """One request at a time on each, and none that is not known to be whole."""

    async def test_a_connection_is_used_again(self, client):
        async with line(patient) as (address, lines):
            for _ in range(3):
                await sent(client, Call("POST", address))
            await client.close()
            await lines[0].over.wait()
        assert [len(each.heads) for each in lines] == [4]
        assert lines[0].heads[-1] == "hung up"

    async def test_calls_at_once_have_connections_of_their_own_up_to_a_limit(self, client):
        async with line(patient) as (address, lines):
            await asyncio.gather(*(sent(client, Call("POST", address)) for _ in range(20)))
            await client.close()
        assert len(lines) == 4

    async def test_no_more_connections_are_open_than_the_limit_to_any_number_of_places(self, client):
        async with line(patient) as (first, lines), line(patient) as (second, others):
            for address in (first, second):
                await asyncio.gather(*(sent(client, Call("POST", address)) for _ in range(4)))
            assert len(client._open) == 4
            await client.close()
        assert (len(lines), len(others)) == (4, 4)

    async def test_room_is_made_by_connections_that_are_still_open(self, client):
        async def once(a_line):
            await a_line.hear()
            await a_line.say(OK)

        async with line(once) as (first, _), line(patient) as (second, _), line(patient) as (third, _):
            await asyncio.gather(*(sent(client, Call("POST", first)) for _ in range(4)))
            await asyncio.sleep(0.01)
            await asyncio.gather(*(sent(client, Call("POST", second)) for _ in range(4)))
            await sent(client, Call("POST", third))
            assert len(client._open) == 4
            await client.close()

    async def test_a_connection_found_closed_is_not_used(self, client):
        async def once(a_line):
            await a_line.hear()
            await a_line.say(OK)

        async with line(once) as (address, lines):
            for _ in range(3):
                assert (await sent(client, Call("POST", address))).status == 200
                await asyncio.sleep(0.01)
        assert len(lines) == 3

    async def test_a_connection_that_was_closed_without_our_loop_knowing_is_not_used(self, client):
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(2)
            address = f"http://127.0.0.1:{server.getsockname()[1]}/"
            loop = asyncio.get_running_loop()
            for _ in range(2):
                call = asyncio.ensure_future(sent(client, Call("POST", address)))
                end, _ = await loop.run_in_executor(None, server.accept)
                with end:
                    await loop.run_in_executor(None, end.recv, 1000)
                    end.sendall(OK)
                    assert (await call).status == 200
                # Closed by now, and our loop had no chance to hear of it.

    async def test_a_connection_that_breaks_while_it_is_used_is_not_tried_again(self, client):
        async def hangs_up_at_the_second(a_line):
            await a_line.hear()
            await a_line.say(OK)
            await a_line.hear()

        async with line(hangs_up_at_the_second) as (address, lines):
            await sent(client, Call("POST", address))
            with pytest.raises(ConnectionBroken):
                await sent(client, Call("POST", address))
        assert [len(each.heads) for each in lines] == [2]

    async def test_a_connection_that_rested_too_long_is_not_used(self, client, monkeypatch):
        monkeypatch.setattr(http_plain, "KEPT_SECONDS", 0)
        async with line(patient) as (address, lines):
            for _ in range(3):
                await sent(client, Call("POST", address))
            await client.close()
        assert len(lines) == 3

    @pytest.mark.parametrize("more", [b"x", OK])
    async def test_a_connection_on_which_more_was_said_is_not_used(self, client, more):
        async def talkative(a_line):
            await a_line.hear()
            await a_line.say(OK + more)
            await a_line.hear()

        async with line(talkative) as (address, lines):
            for _ in range(2):
                assert (await sent(client, Call("POST", address))).body == b"ok"
            await client.close()
        assert len(lines) == 2

    async def test_a_connection_the_vendor_wants_closed_is_not_used(self, client):
        async def closing(a_line):
            await a_line.hear()
            await a_line.say(OK.replace(b"X-Mixed-Case: yes", b"Connection: close"))
            await a_line.hear()

        async with line(closing) as (address, lines):
            for _ in range(2):
                await sent(client, Call("POST", address))
                await lines[-1].over.wait()
        assert [each.heads[1:] for each in lines] == [["hung up"]] * 2


class TestGivingUp:
    """Who gives up hangs up, and what it waited for is free."""

    async def test_a_cancelled_call_hangs_up(self, client):
        heard = asyncio.Event()

        async def hears(a_line):
            await a_line.hear()
            heard.set()
            await a_line.hear()

        async with line(hears) as (address, lines):
            call = asyncio.ensure_future(sent(client, Call("POST", address)))
            await heard.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await lines[0].over.wait()
        assert lines[0].heads[1] == "hung up"
        assert client._open == {}

    async def test_a_late_answer_hangs_up(self, client):
        async with line(silent) as (address, lines):
            with pytest.raises(TimedOut, match=r"0\.02 s"):
                await sent(client, Call("POST", address, timeout=0.02))
            await lines[0].over.wait()
        assert lines[0].heads[1] == "hung up"

    async def test_a_call_waits_for_its_connection_no_longer_than_for_its_answer(self):
        client = PlainClient(connections=1, largest=1000)
        async with line(silent) as (address, _):
            first = asyncio.ensure_future(sent(client, Call("POST", address)))
            await asyncio.sleep(0)
            with pytest.raises(TimedOut):
                await sent(client, Call("POST", address, timeout=0.02))
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            with pytest.raises(TimedOut):
                await sent(client, Call("POST", address, timeout=0.02))
        await client.close()

    async def test_a_connection_that_is_not_made_in_time_cannot_have_had_an_effect(self, client, monkeypatch):
        async def never(*_):
            await asyncio.sleep(60)

        monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", never)
        with pytest.raises(ConnectionFailed):
            await sent(client, Call("POST", "http://127.0.0.1:1/", timeout=0.02))

    async def test_failures_leave_the_connections_to_others(self, client):
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{nobody.getsockname()[1]}/"
            for _ in range(10):
                with pytest.raises(ConnectionFailed):
                    await sent(client, Call("POST", address, timeout=1))

    async def test_closing_ends_what_is_under_way(self, client):
        heard = asyncio.Event()

        async def hears(a_line):
            await a_line.hear()
            heard.set()
            await a_line.hear()

        async with line(hears) as (address, _):
            call = asyncio.ensure_future(sent(client, Call("POST", address)))
            await heard.wait()
            await client.close()
            with pytest.raises(ConnectionBroken):
                await call


class TestAnswers:
    """Every shape that HTTP/1.1 has for them."""

    @pytest.mark.parametrize(
        ("parts", "body"),
        [
            ((b"HTTP/1.1 200 OK\r\nContent-Le", b"ngth: 4\r\n\r", b"\nab", b"cd"), b"abcd"),
            (
                (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", b"1\r\nc\r\n0\r\n\r\n"),
                b"abc",
            ),
            (
                (
                    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                    b"1\r\na\r\n0\r\nX-Late: z\r\n\r\n",
                ),
                b"a",
            ),
            ((b"HTTP/1.1 200 OK\r\n\r\n", b"to the", b" end"), b"to the end"),
            ((b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",), b"a"),
            ((b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"), b"a"),
            ((b"HTTP/1.1 103 Early\r\nX-Late: z\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",), b""),
            ((b"HTTP/1.1 204 None\r\n\r\n",), b""),
            ((b"HTTP/1.1 304 Same\r\nContent-Length: 9\r\n\r\n",), b""),
        ],
    )
    async def test_an_answer_is_put_together(self, client, parts, body):
        async def answers(a_line):
            await a_line.hear()
            await a_line.say(*parts)

        async with line(answers) as (address, _):
            answer = await sent(client, Call("GET", address))
        assert answer.body == body
        assert "x-late" not in answer.headers

    @pytest.mark.parametrize(
        "said",
        [
            b"",
            b"HTTP/1.1 200 OK\r\nContent-Le",
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
            b"HTTP/1.1 100 Continue\r\n\r\n",
            b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
            b"SSH-2.0-nothing of ours\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        ],
    )
    async def test_what_is_no_whole_answer_is_a_broken_connection(self, client, said):
        async def says(a_line):
            await a_line.hear()
            await a_line.say(said)

        async with line(says) as (address, _):
            with pytest.raises(ConnectionBroken):
                await sent(client, Call("POST", address))

    @pytest.mark.parametrize(
        "said",
        [
            b"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + 1001 * b"x",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + 501 * b"2\r\nab\r\n",
            b"HTTP/1.1 200 OK\r\nX: " + 70_000 * b"x",
        ],
        ids=["long", "chunks without end", "a head without end"],
    )
    async def test_an_answer_that_is_too_long_is_cut(self, client, said):
        async def goes_on(a_line):
            await a_line.hear()
            await a_line.say(said)
            await a_line.hear()

        async with line(goes_on) as (address, _):
            with pytest.raises(ConnectionBroken, match="longer"):
                await sent(client, Call("POST", address))

    async def test_an_answer_as_long_as_may_be_is_taken(self, client, monkeypatch):
        monkeypatch.setattr(http_connection, "LARGEST_HEAD", 100)
        async with vendor(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + 1000 * b"x") as (address, _):
            assert len((await sent(client, Call("GET", address))).body) == 1000


class TestRequests:
    """What goes over the wire, and what is left to others."""

    async def test_a_request_is_written_out(self, client):
        async with vendor(OK, OK) as (address, requests):
            await sent(client, Call("GET", f"{address}?a=b%20c", {"x-a": "کابل"}))
            await sent(client, Call("POST", f"{address}/v3/key", {"X-B": ""}, b"{}"))
        host = f"Host: {address.removeprefix('http://')}\r\nAccept: */*\r\n"
        assert requests[0].decode() == f"GET /?a=b%20c HTTP/1.1\r\n{host}x-a: کابل\r\n\r\n"
        assert (
            requests[1].decode() == f"POST /v3/key HTTP/1.1\r\n{host}X-B: \r\nContent-Length: 2\r\n\r\n{{}}"
        )

    @pytest.mark.parametrize(
        "headers", [{"x": "a\r\nb: c"}, {"x": "a\nb"}, {"x": "a\rb"}, {"x\r\ny": "a"}, {"x": "a\0"}]
    )
    async def test_a_header_that_would_be_two_is_not_sent(self, headers):
        client = Sockets()
        with pytest.raises(ConnectionFailed, match="header"):
            await client.send(Call("POST", "http://127.0.0.1:1/", headers))

    @pytest.mark.parametrize(
        "call",
        [
            Call("POST", "https://127.0.0.1/"),
            Call("HEAD", "http://127.0.0.1/"),
            Call("POST /x HTTP/1.1\r\n", "http://127.0.0.1/"),
            Call("POST", "http://user:password@127.0.0.1/"),
            Call("POST", "http://[::1]/"),
            Call("POST", "http://127.0.0.1/a b"),
            Call("POST", "http://127.0.0.1/کابل"),
            Call("POST", "http://127.0.0.1/\r\nx: y"),
            Call("POST", "http://127.0.0.1/#part"),
            Call("POST", "http:///nowhere"),
            Call("POST", "http://127.0.0.1/", {"Host": "elsewhere"}),
            Call("POST", "http://127.0.0.1/", {"transfer-encoding": "chunked"}),
        ],
        ids=range(12),
    )
    def test_a_call_out_of_the_ordinary_is_left_to_others(self, client, call):
        assert client.request(call) is None

    def test_a_port_no_machine_has_is_no_connection(self):
        async def calls():
            client = PlainClient(1, 1)
            with pytest.raises(ConnectionFailed):
                await sent(client, Call("POST", "http://127.0.0.1:99999/"))

        asyncio.run(calls())

    def test_a_request_shows_nothing_of_what_it_carries(self):
        call = Call("POST", "http://127.0.0.1/?canary", {"authorization": "canary"}, b"canary")
        assert "canary" not in repr(PlainClient.request(call))


def test_calls_go_out_on_uvloop_too():
    async def calls():
        client = PlainClient(connections=2, largest=1000)
        async with line(patient) as (address, lines):
            for _ in range(3):
                assert (await sent(client, Call("POST", address))).status == 200
            await client.close()
            return len(lines)

    assert uvloop.run(calls()) == 1


async def test_a_client_chooses_by_the_call():
    client = Sockets()
    async with vendor(OK, OK) as (address, _):
        await client.send(Call("POST", address))
        assert client._client is None
        await client.send(Call("POST", f"{address}/#part"))
        assert client._client is not None
    await client.close()
