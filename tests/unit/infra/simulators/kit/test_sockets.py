"""Over real sockets: the command, its callbacks, and connections that are cut."""

import argparse
import asyncio
import json
import signal
import socket
import sys
from contextlib import asynccontextmanager
from hashlib import md5

import aiohttp
import pytest

from infra.local.server import free_port
from infra.manifest.load import ROOT
from infra.simulators.kit.loopback import post
from infra.simulators.kit.serve import _token
from infra.simulators.kit.serve import listening as listening_on
from tests.unit.infra.simulators.ttlock.integrator import ROOM

PASSWORD = md5(b"sim-password").hexdigest()
LOGIN = {"clientId": "sim-client", "clientSecret": "sim-secret", "username": "owner", "password": PASSWORD}
COMMAND = (sys.executable, "-m", "infra.simulators", "ttlock")
CONTROL = {"authorization": "Bearer steer"}


@asynccontextmanager
async def running(*arguments):
    """Run the command until it serves; give its address and its standard error."""
    port = free_port()
    command = [*COMMAND, "--port", str(port), *arguments]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stderr=asyncio.subprocess.PIPE)
    try:
        await _until_it_listens(port)
        yield f"http://127.0.0.1:{port}", process.stderr
    finally:
        process.terminate()
        await process.wait()


async def _refused(*arguments):
    """Run the command where it cannot serve; give its exit status and what it says."""
    command = [*COMMAND, *arguments]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stderr=asyncio.subprocess.PIPE)
    _, said = await process.communicate()
    return process.returncode, said.decode()


async def _until_it_listens(port):
    for _ in range(1000):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)
        else:
            writer.close()
            return
    raise AssertionError("the simulator never listened")


@asynccontextmanager
async def listening(answer):
    """Receive callbacks; give the address and what came."""
    received = []

    async def hear(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        received.append((head.split(b"\r\n")[0].decode(), (await reader.readexactly(length)).decode()))
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook?tenant=1", received


async def test_the_command_serves_the_platform_and_cuts_connections():
    async with (
        running("--seed", "7", "--control-token", "steer") as (url, errors),
        aiohttp.ClientSession() as web,
    ):
        async with web.post(f"{url}/oauth2/token", data=LOGIN) as answer:
            assert (answer.status, (await answer.json())["expires_in"]) == (200, 7_776_000)
        async with web.get(f"{url}/_sim/state") as answer:
            assert answer.status == 401
        rule = {"operation": "oauth2/token", "fault": "timeout_after_success", "times": 1}
        async with web.post(f"{url}/_sim/faults", json=rule, headers=CONTROL) as answer:
            assert answer.status == 201
        with pytest.raises(aiohttp.ClientPayloadError):
            await (await web.post(f"{url}/oauth2/token", data=LOGIN)).read()
        async with web.post(f"{url}/oauth2/token", data=LOGIN) as answer:
            assert answer.status == 200
    assert b"Traceback" not in await errors.read()


async def test_the_command_calls_back(tmp_path, hotel):
    heard = b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nsuccess"
    async with listening(heard) as (hook, received), aiohttp.ClientSession(headers=CONTROL) as web:
        hotel["applications"][0]["callbackUrl"] = hook
        (tmp_path / "hotel.json").write_text(json.dumps(hotel))
        arguments = ("--control-token", "steer", "--hotel", str(tmp_path / "hotel.json"))
        async with running(*arguments) as (url, _):
            await web.post(f"{url}/oauth2/token", data=LOGIN)
            await web.post(f"{url}/_sim/doors/{ROOM}/try", json={"pin": "1111"})
            async with web.get(f"{url}/_sim/callbacks") as answer:
                assert [sent["accepted"] for sent in (await answer.json())["sent"]] == [True]
    [(line, form)] = received
    assert line == "POST /hook?tenant=1 HTTP/1.1"
    assert "notifyType=1" in form


async def test_a_control_token_that_was_not_given_is_drawn_and_said():
    async with running() as (url, errors), aiohttp.ClientSession() as web:
        lines = [(await errors.readline()).decode() for _ in range(2)]
        token = lines[1].split()[-1]
        async with web.get(f"{url}/_sim/clock", headers={"authorization": f"Bearer {token}"}) as answer:
            assert answer.status == 200
    assert len(token) == 32


async def test_the_command_ends_at_ctrl_c_without_a_word():
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "infra.simulators",
        "ttlock",
        "--port",
        str(port),
        "--control-token",
        "t",
    ]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stderr=asyncio.subprocess.PIPE)
    await process.stderr.readline()
    async with aiohttp.ClientSession() as web, web.get(f"http://127.0.0.1:{port}/_sim/clock") as answer:
        assert answer.status == 401
    process.send_signal(signal.SIGINT)
    _, rest = await process.communicate()
    assert (process.returncode, rest) == (0, b"")


def test_small_answers_are_not_kept_back_for_others():
    # asyncio sends at once only what goes by a socket that says that it is TCP.
    with listening_on(free_port()) as listener:
        assert listener.proto == socket.IPPROTO_TCP


async def test_a_port_that_is_taken_is_said_before_anything_else():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, said = await _refused("--port", str(port))
    assert status == 1
    assert said.startswith(f"error: cannot listen on port {port}: Address already in use\n  fix: ")


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http"])
async def test_a_port_that_is_none_is_refused(port):
    status, said = await _refused(f"--port={port}")
    assert (status, said.splitlines()[-1].endswith("no port: give a number from 1 to 65535")) == (2, True)


async def test_a_hotel_that_cannot_be_read_is_refused_in_words(tmp_path):
    missing = tmp_path / "missing.json"
    status, said = await _refused("--port", str(free_port()), "--hotel", str(missing))
    assert status == 2
    assert said.endswith(f"argument --hotel: cannot read {missing}: No such file or directory\n")


@pytest.mark.parametrize(
    ("content", "named"), [("{", "Invalid JSON"), ('{"locks": 7}', "\n  locks: "), ("{}", "\n  ")]
)
async def test_a_hotel_that_is_none_is_refused_with_each_field_that_is_wrong(tmp_path, content, named):
    (tmp_path / "hotel.json").write_text(content)
    status, said = await _refused("--port", str(free_port()), "--hotel", str(tmp_path / "hotel.json"))
    assert status == 2
    assert f"{tmp_path / 'hotel.json'} describes no hotel:" in said
    assert named in said
    assert "pydantic" not in said


@pytest.mark.parametrize(
    "url", ["http://example.org/", "https://127.0.0.1/", "file:///etc/hosts", "http://127.0.0.1:1/"]
)
async def test_callbacks_go_to_this_machine_only(url):
    with pytest.raises(OSError, match=r"loopback|Connect"):
        await post(url, {}, b"")


async def test_a_callback_reaches_its_whole_address_and_brings_back_the_answer():
    async with listening(b"HTTP/1.1 404 Not Found\r\n\r\nno") as (hook, received):
        assert await post(hook, {}, b"lockId=1") == (404, b"no")
    assert received == [("POST /hook?tenant=1 HTTP/1.1", "lockId=1")]


async def test_an_answer_that_is_no_http_is_no_success():
    async with listening(b"success") as (hook, _):
        with pytest.raises(OSError, match="no HTTP"):
            await post(hook, {}, b"a=b")


def test_l8_the_control_token_is_read_from_a_file_that_nobody_sees_in_a_list_of_processes(tmp_path):
    file = tmp_path / "simulator.token"
    file.write_text("a-token\n")
    assert _token(f"@{file}") == "a-token"
    with pytest.raises(argparse.ArgumentTypeError, match="cannot read it"):
        _token(f"@{tmp_path / 'none'}")
