"""The client tells an answer from no answer, and no answer that was late from none that was begun."""

import socket

import pytest

from infra.local.transport import Sockets
from shared.domain.errors import InvalidInput
from shared.vendor_kit.http import (
    Answer,
    Call,
    ConnectionBroken,
    ConnectionFailed,
    HttpClient,
    TimedOut,
    checked_address,
)
from shared.vendor_kit.http_aiohttp import AiohttpClient, PublicResolver, is_public
from tests.support.raw_vendor import OK, vendor

MAKERS = {"HttpClient": HttpClient, "Sockets": Sockets, "aiohttp": lambda: AiohttpClient(4, 1000)}


@pytest.fixture(params=MAKERS)
async def client(request):
    client = MAKERS[request.param]()
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
    assert len(requests) == 2
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


@pytest.mark.parametrize("make", [HttpClient, Sockets, AiohttpClient])
async def test_answer_that_is_too_long_is_cut(make):
    client = make(connections=4, largest=1)
    async with vendor(OK) as (address, _):
        with pytest.raises(ConnectionBroken):
            await client.send(Call("GET", address))
    await client.close()


async def test_header_names_are_plain_text_that_can_be_kept(client):
    async with vendor(OK) as (address, _):
        answer = await client.send(Call("GET", address))
    assert {type(name) for name in answer.headers} == {str}


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


@pytest.mark.parametrize(
    "address",
    [
        "https://169.254.169.254/x?y=",
        "https://169.254.169.254",
        "https://0x7f000001",
        "https://2130706433",
        "https://127.1",
        "https://metadata.google.internal",
        "https://euapi.ttlock.com@evil.example",
        "https://euapi.ttlock.com:pw@evil.example",
        "https://[::ffff:10.0.0.1]/",
        "https://[::1]",
        "http://localhost:2375/containers/create?x=",
        "http://localhost:2375?",
        "https://euapi.ttlock.com/v3",
        "https://euapi.ttlock.com#",
        "https://euapi.ttlock.com:99999",
        "https://euapi.ttlock.com:0",
        "https://euapi.ttlock.com\\@evil.example",
        "https://printer.local",
        "https://intranet",
        "https://euapi.ttlock.com.",
        "https://\u2025.example",
    ],
)
def test_s10_address_that_leads_elsewhere_is_refused(address):
    with pytest.raises(InvalidInput, match="baseUrl"):
        checked_address(address)


@pytest.mark.parametrize(
    "address", ["https://evil.example", "https://ttlock.com.evil.example", "https://xttlock.com"]
)
def test_s10_address_of_another_than_the_vendor_is_refused(address):
    with pytest.raises(InvalidInput, match="baseUrl"):
        checked_address(address, "ttlock.com")
    assert checked_address("https://cnapi.ttlock.com/", "ttlock.com") == "https://cnapi.ttlock.com"


INWARD = [
    *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
    *("224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1"),
    *("::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "::ffff:10.0.0.1", "::ffff:169.254.169.254"),
    *("64:ff9b::a00:1", "2002:a00:1::", "2001:db8::1", "ff02::1", "no address"),
]


@pytest.mark.parametrize("address", INWARD)
def test_s10_no_address_of_a_network_of_its_own_is_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1"])
def test_an_address_of_the_public_network_is_public(address):
    assert is_public(address)


class _Names:
    """Resolves every name to some addresses."""

    def __init__(self, *addresses):
        self._addresses = addresses

    async def resolve(self, host, port=0, family=0):
        return [
            {"hostname": host, "host": each, "port": port, "family": family, "proto": 0, "flags": 0}
            for each in self._addresses
        ]

    async def close(self):
        """Nothing is open."""


async def test_s10_a_name_that_leads_inward_is_not_connected_to():
    assert [
        each["host"] for each in await PublicResolver(_Names("10.0.0.1", "1.1.1.1")).resolve("v.test")
    ] == ["1.1.1.1"]
    with pytest.raises(OSError, match="no public address"):
        await PublicResolver(_Names("10.0.0.1", "::1")).resolve("v.test")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_s10_a_client_for_the_public_reaches_nothing_of_this_machine(scheme, host):
    async with vendor(OK) as (address, requests):
        client = HttpClient(public_only=True)
        with pytest.raises(ConnectionFailed):
            await client.send(Call("GET", f"{scheme}://{host}:{address.rpartition(':')[2]}/"))
        await client.close()
    assert requests == []
