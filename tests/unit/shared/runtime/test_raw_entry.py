"""Raw public requests: handed over as they came, and never read beyond their bound."""

import asyncio
import hashlib
import sys

import orjson
import pytest
from starlette.responses import Response

from infra.local.host.functions import host_function
from shared.domain.errors import InvalidInput
from shared.ports.trouble import ServiceTrouble
from shared.runtime.entry import public, step
from shared.runtime.incoming import WEBHOOK_BYTES
from shared.runtime.platform import Deployed
from tests.support.served import served

HERE = sys.modules[__name__]
FULL = WEBHOOK_BYTES


@public()
async def raw_echo(came, on):
    """Say what came."""
    if came.query_string == "refuse":
        raise InvalidInput("signature", "wrong", "sign the body")
    if came.query_string == "trouble":
        raise ServiceTrouble("the store is away")
    if came.query_string == "crash":
        raise ZeroDivisionError("canary 4711")
    told = {
        "path": came.path,
        "query": came.query_string,
        "signature": came.headers.get("x-signature"),
        "sha256": hashlib.sha256(came.body).hexdigest(),
    }
    return Response(orjson.dumps(told))


@step
async def raw_step(arguments, on):
    """Say how many arguments came."""
    return {"arguments": len(arguments)}


def _functions(base):
    return {
        "raw-echo": host_function(Deployed("raw-echo", f"{base}/raw-echo", public=True), HERE, "raw_echo"),
        "raw-step": host_function(Deployed("raw-step", f"{base}/raw-step", public=True), HERE, "raw_step"),
    }


@pytest.fixture
async def house(tmp_path):
    async with served(tmp_path, _functions) as opened:
        yield opened


async def exchange(house, head, *parts):
    """Send a request in parts, and return status, headers and body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
    lines = [*head, f"Host: 127.0.0.1:{house.port}", "", ""]
    writer.write("\r\n".join(lines).encode())
    for part in parts:
        writer.write(part)
        await writer.drain()
    async with asyncio.timeout(10):
        top = await reader.readuntil(b"\r\n\r\n")
        status, *lines = top.decode().strip().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
    writer.close()
    return int(status.split()[1]), headers, body


def _post(path, body, *more):
    return [f"POST /{path} HTTP/1.1", f"Content-Length: {len(body)}", *more], body


def _chunked(body, size=8192):
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return [b"%x\r\n%b\r\n" % (len(part), part) for part in parts] + [b"0\r\n\r\n"]


async def test_a_raw_request_comes_whole_bytes_path_query_and_headers(house):
    body = bytes(range(256)) * (FULL // 256)
    head, body = _post("raw-echo/a/b?c=d%20e", body, "X-Signature: one", "X-Signature: two")
    status, _, told = await exchange(house, head, body)
    assert status == 200
    assert orjson.loads(told) == {
        "path": "/a/b",
        "query": "c=d%20e",
        "signature": "one, two",
        "sha256": hashlib.sha256(body).hexdigest(),
    }


async def test_a_chunked_body_within_the_bound_comes_whole(house):
    body = b"x" * FULL
    head = ["POST /raw-echo HTTP/1.1", "Transfer-Encoding: chunked"]
    status, _, told = await exchange(house, head, *_chunked(body))
    assert (status, orjson.loads(told)["sha256"]) == (200, hashlib.sha256(body).hexdigest())


async def test_one_byte_too_many_is_413_whether_its_length_is_said_or_not(house):
    body = b"x" * (FULL + 1)
    said = await exchange(house, *_post("raw-echo", body))
    unsaid = await exchange(house, ["POST /raw-echo HTTP/1.1", "Transfer-Encoding: chunked"], *_chunked(body))
    assert [said[0], unsaid[0]] == [413, 413]
    assert orjson.loads(said[2])["error"]["kind"] == "BodyTooLarge"


async def test_an_endless_body_is_answered_before_it_ends(house):
    reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
    head = f"POST /raw-echo HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
    writer.write(head.encode())
    for _ in range(FULL // 1024 + 1):
        writer.write(b"400\r\n%b\r\n" % (b"x" * 1024))
    await writer.drain()
    async with asyncio.timeout(10):
        assert (await reader.readline()).startswith(b"HTTP/1.1 413 ")
    writer.close()


async def test_a_length_that_is_promised_is_refused_before_a_byte_of_it_came(house):
    for length in (FULL + 1, 10**30):
        status, _, _ = await exchange(house, ["POST /raw-echo HTTP/1.1", f"Content-Length: {length}"])
        assert status in (400, 413)  # a number that no computer holds is the server's own refusal


async def test_another_method_is_told_which_there_is(house):
    status, headers, _ = await exchange(house, ["GET /raw-echo HTTP/1.1"])
    assert (status, headers["allow"]) == (405, "post")


@pytest.mark.parametrize(("query", "expected"), [("refuse", 400), ("trouble", 503), ("crash", 500)])
async def test_what_a_handler_raises_is_told_without_its_words(house, query, expected):
    status, _, body = await exchange(house, *_post(f"raw-echo?{query}", b"{}"))
    assert status == expected
    assert b"canary" not in body


async def test_a_caller_that_hangs_up_midway_leaves_no_crash_behind(house):
    _, writer = await asyncio.open_connection("127.0.0.1", house.port)
    head = f"POST /raw-echo HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nContent-Length: 9\r\n\r\nhalf"
    writer.write(head.encode())
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    assert (await exchange(house, *_post("raw-echo", b"{}")))[0] == 200
    assert not [line for line in house.said() if "crashed" in line]


async def test_a_step_too_large_is_a_400_that_says_what_to_do(house):
    body = b'{"a": "' + b"x" * 1024 * 1024 + b'"}'
    for head, parts in (
        (["POST /raw-step HTTP/1.1", f"Content-Length: {len(body)}"], [body]),
        (["POST /raw-step HTTP/1.1", "Transfer-Encoding: chunked"], _chunked(body)),
    ):
        status, _, told = await exchange(house, head, *parts)
        assert (status, orjson.loads(told)["error"]["field"]) == (400, "body")


async def test_a_stranger_cannot_fill_the_log(house):
    trace = "PIN 482913 of a guest " + "x" * 4000
    for number in range(40):
        head = ["POST /probe-answer HTTP/1.1", "Content-Length: 2", f"traceparent: {trace}"]
        status, _, _ = await exchange(house, [*head, f"Authorization: Bearer a.{number}.c"], b"{}")
        assert status == 401
    lines = [line for line in house.said() if "caller not proven" in line]
    assert 1 <= len(lines) <= 2  # a minute may end meanwhile
    assert max(map(len, lines)) < 400
    assert "482913" not in house.log.getvalue()


def test_every_entry_keeps_the_handler_it_was_made_of():
    assert raw_echo.__wrapped__.__name__ == "raw_echo"
    assert raw_step.__wrapped__.__name__ == "raw_step"
