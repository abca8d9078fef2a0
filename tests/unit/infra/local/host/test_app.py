"""The host's own checks: address, origin, route, time."""

import asyncio

import orjson
import pytest
from starlette.responses import Response

from infra.local.counters import Counters
from infra.local.host.app import Host
from infra.local.host.functions import Hosted
from infra.local.simulation.loop import run_virtually
from infra.local.transport import InProcess
from shared.runtime.platform import Deployed, deployed
from shared.vendor_kit.http import Call

BASE = "http://127.0.0.1:8787"


async def _echo(scope, receive, send):
    body = {"path": scope["path"], "name": deployed.get().name, "query": scope["query_string"].decode()}
    await Response(orjson.dumps(body))(scope, receive, send)


async def _slow(scope, receive, send):
    await asyncio.sleep(3600)


async def _leaving(scope, receive, send):
    raise SystemExit(3)


async def _control(scope, receive, send):
    await Response(b"control:" + scope["path"].encode())(scope, receive, send)


async def _named(scope, receive, send):
    names = [value for name, value in scope["headers"] if name == b"function-execution-id"]
    await Response(b" ".join(names))(scope, receive, send)


@pytest.fixture
def host():
    apps = {"echo-function": _echo, "named-function": _named}
    apps |= {"slow-function": _slow, "leaving-function": _leaving}
    functions = {
        name: Hosted(Deployed(name, f"{BASE}/{name}", timeout=5.0), app) for name, app in apps.items()
    }
    return Host(functions, _control, "127.0.0.1:8787", Counters())


def _send(host, call):
    return run_virtually(lambda _: InProcess(host).send(call))


def test_a_function_is_found_by_name_and_sees_the_rest_of_the_path(host):
    answer = _send(host, Call("GET", f"{BASE}/echo-function/a/b?c=d"))
    assert orjson.loads(answer.body) == {"path": "/a/b", "name": "echo-function", "query": "c=d"}


def test_each_call_has_a_name_and_a_callers_own_name_for_it_comes_first(host):
    call = Call("GET", f"{BASE}/named-function")
    named = Call("GET", f"{BASE}/named-function", {"function-execution-id": "mine"})
    assert [_send(host, each).body for each in (call, call, named)] == [
        b"000000000001", b"000000000002", b"mine 000000000003",
    ]  # fmt: skip


def test_the_control_plane_has_its_own_path(host):
    assert _send(host, Call("GET", f"{BASE}/_cloud/status")).body == b"control:/status"


def test_an_unknown_name_is_404_and_not_repeated_back(host):
    answer = _send(host, Call("GET", f"{BASE}/nothing-here"))
    assert answer.status == 404
    assert b"nothing-here" not in answer.body


@pytest.mark.parametrize("name", ["localhost:8787", "127.0.0.1:8787", "[::1]:8787"])
def test_the_fleets_own_addresses_are_served(host, name):
    assert _send(host, Call("GET", f"http://{name}/echo-function")).status == 200


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1:9", "127.0.0.1", "localhost"])
def test_another_host_name_is_misdirected(host, name):
    assert _send(host, Call("GET", f"http://{name}/echo-function")).status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8787", "http://127.0.0.1"]
)
def test_another_origin_is_forbidden(host, origin):
    assert _send(host, Call("POST", f"{BASE}/echo-function", {"Origin": origin})).status == 403


def test_the_fleets_own_origin_is_served(host):
    assert _send(host, Call("POST", f"{BASE}/echo-function", {"Origin": BASE})).status == 200


def test_a_function_that_takes_too_long_is_stopped(host):
    answer = _send(host, Call("POST", f"{BASE}/slow-function", timeout=60))
    assert answer.status == 504
    assert orjson.loads(answer.body)["error"]["kind"] == "FunctionTimeout"


def test_a_function_that_exits_ends_itself_and_not_the_fleet(host):
    assert _send(host, Call("POST", f"{BASE}/leaving-function")).status == 500
    assert _send(host, Call("POST", f"{BASE}/echo-function")).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        [(b"host", b"127.0.0.1:8787"), (b"host", b"evil.example")],
        [(b"host", b"evil.example"), (b"host", b"127.0.0.1:8787")],
        [],
    ],
)
def test_one_host_must_be_named_and_no_second(host, headers):
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/echo-function",
        "query_string": b"",
        "headers": headers,
    }
    assert run_virtually(lambda _: _status_of(host, scope)) == 421


def test_two_origins_are_forbidden(host):
    headers = [(b"host", b"127.0.0.1:8787"), (b"origin", BASE.encode()), (b"origin", b"http://evil.example")]
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/echo-function",
        "query_string": b"",
        "headers": headers,
    }
    assert run_virtually(lambda _: _status_of(host, scope)) == 403


async def _status_of(host, scope):
    sent = []

    async def send(message):
        sent.append(message)

    await host(scope, None, send)
    return sent[0]["status"]


def test_the_name_of_the_function_does_not_outlive_the_request(host):
    async def twice(_clock):
        await InProcess(host).send(Call("GET", f"{BASE}/echo-function"))
        return deployed.get(None)

    assert run_virtually(twice) is None
