"""The client tells an answer from no answer, and no answer that was late from none that was begun."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest

from shared.domain.errors import InvalidInput
from shared.vendor_kit import http
from shared.vendor_kit.http import (
    Answer,
    Call,
    ConnectionBroken,
    ConnectionFailed,
    HttpClient,
    TimedOut,
    checked_address,
)

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Mixed-Case: yes\r\nSet-Cookie: a=b\r\n\r\nok"


@asynccontextmanager
async def vendor(*answers, hang_up=True):
    """Serve raw bytes, one answer a request, and yield the address and the requests."""
    requests, left = [], list(answers)

    async def serve(reader, writer):
        while left:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                (int(line[15:]) for line in head.split(b"\r\n") if line[:15] == b"Content-Length:"), 0
            )
            requests.append(head + await reader.readexactly(length))
            writer.write(left.pop(0))
            await writer.drain()
        if hang_up:
            writer.close()
        else:
            await reader.read()
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", requests


@pytest.fixture
async def client():
    client = HttpClient()
    yield client
    await client.close()


async def test_client_returns_the_answer_with_header_names_in_lower_case(client):
    async with vendor(OK) as (address, requests):
        answer = await client.send(Call("POST", f"{address}/v3", {"x-a": "b"}, b"form"))
    assert (answer.status, answer.body, answer.headers["x-mixed-case"]) == (200, b"ok", "yes")
    assert requests[0].startswith(b"POST /v3 HTTP/1.1\r\n")
    assert requests[0].endswith(b"form")


@pytest.mark.parametrize("status", [400, 429, 500, 503])
async def test_client_takes_every_status_for_an_answer(client, status):
    async with vendor(OK.replace(b"200 OK", f"{status} Oh".encode())) as (address, _):
        assert (await client.send(Call("GET", address))).status == status


async def test_client_follows_no_redirect(client):
    away = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/steal\r\nContent-Length: 0\r\n\r\n"
    async with vendor(away) as (address, requests):
        assert (await client.send(Call("GET", f"{address}/?accessToken=t"))).status == 302
    assert len(requests) == 1


async def test_client_keeps_no_cookie(client):
    async with vendor(OK, OK) as (address, requests):
        for _ in range(2):
            await client.send(Call("GET", address))
    assert not any(b"cookie" in request.lower() for request in requests)


async def test_client_keeps_its_connection(client):
    async with vendor(OK, OK, hang_up=False) as (address, requests):
        for _ in range(2):
            await client.send(Call("GET", address))
        await client.close()
    assert len(requests) == 2


async def test_refused_connection_cannot_have_had_an_effect(client):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with pytest.raises(ConnectionFailed):
            await client.send(Call("POST", address))


async def test_broken_connection_may_have_had_an_effect(client):
    async with vendor(b"") as (address, _):
        with pytest.raises(ConnectionBroken):
            await client.send(Call("POST", address))


async def test_answer_cut_short_is_a_broken_connection(client):
    async with vendor(OK.replace(b"Length: 2", b"Length: 20")) as (address, _):
        with pytest.raises(ConnectionBroken):
            await client.send(Call("POST", address))


async def test_answer_that_is_late_may_have_had_an_effect(client):
    async with vendor(b"", hang_up=False) as (address, _):
        with pytest.raises(TimedOut):
            await client.send(Call("POST", address, timeout=0.05))
        await client.close()


async def test_answer_that_is_too_long_is_cut(client, monkeypatch):
    monkeypatch.setattr(http, "LARGEST_ANSWER", 1)
    async with vendor(OK) as (address, _):
        with pytest.raises(ConnectionBroken):
            await client.send(Call("GET", address))


def test_calls_and_answers_show_nothing_of_what_they_carry():
    call = Call("GET", "https://v.test/?accessToken=canary", {"authorization": "canary"}, b"canary")
    answer = Answer(200, {"set-cookie": "canary"}, b"canary")
    assert "canary" not in repr((call, answer))


@pytest.mark.parametrize(
    "address", ["https://euapi.ttlock.com", "http://127.0.0.1:8701", "http://localhost:1"]
)
def test_address_where_a_password_may_travel_is_taken(address):
    assert checked_address(address + "/") == address


@pytest.mark.parametrize(
    "address", ["http://euapi.ttlock.com", "ftp://127.0.0.1", "euapi.ttlock.com", "https://"]
)
def test_address_where_others_listen_is_refused(address):
    with pytest.raises(InvalidInput, match="baseUrl"):
        checked_address(address)
