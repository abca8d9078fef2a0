"""The Model Context Protocol over the API's own table: reads alone unless told, and never a PIN."""

import asyncio
import json
import socket
import threading
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.cli.mcp.serve import _ask, _token
from infra.cli.mcp.session import McpSession, NotReached, Told
from infra.cli.mcp.tools import tools_of
from infra.cli.problems import Refused
from infra.codegen.openapi import described, operation_id
from shared.domain.permissions import Role
from tests.support.api_desk import stay
from tests.support.staffed import staffed

KEY = "key_01KSAMP1E00000000000000001"


class Api:
    """What is asked of the API, and an answer."""

    def __init__(self, status=200, body=b'{"arrivals": []}'):
        self.asked, self.told = [], Told(status, body)

    def __call__(self, request):
        self.asked.append(request)
        if isinstance(self.told, Exception):
            raise self.told
        return self.told


def session(api=None, *, changes=False):
    """Return a session with some API."""
    return McpSession(tools_of(changes=changes), api or Api())


def said(at, method, identity=1, **params):
    """Return what a request is answered."""
    line = json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
    return json.loads(at.answer(line))


def test_a_client_is_told_who_we_are_and_every_read_of_the_api():
    at = session()
    hello = said(at, "initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo={})["result"]
    assert (hello["protocolVersion"], hello["serverInfo"]["name"]) == ("2025-03-26", "keyfleet")
    assert said(at, "initialize", protocolVersion="1999")["result"]["protocolVersion"] == "2025-06-18"
    assert at.answer('{"jsonrpc": "2.0", "method": "notifications/initialized"}') is None
    assert said(at, "ping")["result"] == {}
    tools = said(at, "tools/list")["result"]["tools"]
    reads = [
        each
        for each in described()
        if each.function in ("lock-api", "audit-api") and each.route.method == "GET"
    ]
    assert len(tools) == len(reads) > 20
    assert all(each["annotations"]["readOnlyHint"] for each in tools)
    assert all(each["inputSchema"]["type"] == "object" for each in tools)


def test_changes_are_tools_only_where_that_is_allowed_and_a_pin_is_none_anywhere():
    assert "revokeCredential" not in tools_of(changes=False)
    told = tools_of(changes=True)
    assert told["revokeCredential"].told()["annotations"]["destructiveHint"]
    assert not [name for name, tool in told.items() if tool.function == "lock-reveal" or "eveal" in name]
    once = {
        "challengeDevice",
        "issueServiceAccount",
        "rotateServiceAccount",
        "addWebhook",
        "rotateWebhookSecret",
    }
    assert once <= {operation_id(each.route) for each in described()}
    assert not once & set(told), "a code that opens a door, and keys that are shown once, are for no model"
    refused = said(session(), "tools/call", name="revokeCredential", arguments={"keyCredentialId": KEY})
    assert refused["error"]["code"] == -32602


def test_a_call_becomes_the_routes_request_and_a_problem_is_the_tools():
    api = Api()
    at = session(api, changes=True)
    answer = said(
        at, "tools/call", name="todaysArrivals", arguments={"property": "ppt_kabul", "day": "2026-03-01"}
    )
    assert answer["result"]["structuredContent"] == {"arrivals": []}
    arguments = {"keyCredentialId": f"{KEY}/../x", "body": {"reason": "lost"}, "idempotencyKey": "one"}
    said(at, "tools/call", name="revokeCredential", arguments=arguments)
    first, second = api.asked
    assert first.path == "/lock-api/lock/v1/arrivals?property=ppt_kabul&day=2026-03-01"
    assert second.path == f"/lock-api/lock/v1/credentials/{KEY}%2F..%2Fx/revoke"
    assert (json.loads(second.body), second.headers["idempotency-key"]) == ({"reason": "lost"}, "one")
    api.told = Told(404, b'{"code": "not-found"}')
    gone = said(at, "tools/call", name="getCredential", arguments={"keyCredentialId": KEY})["result"]
    assert (gone["isError"], gone["structuredContent"]["code"]) == (True, "not-found")
    api.told = NotReached("the API does not answer")
    assert said(at, "tools/call", name="todaysArrivals")["result"]["isError"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", -32700),
        ("[]", -32600),
        ('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', -32601),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "no"}}', -32602),
        ("[" * 5000, -32700),
        ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', -32700),
    ],
)
def test_what_is_no_request_is_an_error_of_the_protocol(line, code):
    assert json.loads(session().answer(line))["error"]["code"] == code


def test_arguments_that_a_tool_does_not_take_are_refused_in_words():
    for arguments in ({"keyCredentialId": KEY, "pin": "1"}, {}, {"keyCredentialId": 7}):
        told = said(session(), "tools/call", name="getCredential", arguments=arguments)
        assert told["error"]["code"] == -32602
        assert "keyCredentialId" in told["error"]["message"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(st.text(max_size=40) | _JSON.map(json.dumps))
def test_whatever_comes_is_answered_or_passed_over(line):
    answer = session().answer(line)
    assert answer is None or json.loads(answer)["jsonrpc"] == "2.0"


def test_a_token_goes_nowhere_that_it_was_not_meant_for(monkeypatch):
    from infra.cli.address import FleetAddress

    monkeypatch.delenv("KEYFLEET_TOKEN", raising=False)
    at = FleetAddress()
    with pytest.raises(Refused, match="KEYFLEET_TOKEN"):
        _token(at, "https://keys.hotel.example", lambda: "own")
    assert _token(at, None, lambda: "own")() == "own"
    monkeypatch.setenv("KEYFLEET_TOKEN", "kfk.a.b.c")
    assert _token(at, "https://keys.hotel.example", lambda: "own")() == "kfk.a.b.c"
    assert _token(at, "http://localhost:8787", lambda: "own")() == "kfk.a.b.c"
    for elsewhere in ("keys.hotel.example", "127.0.0.1.hotel.example", "localhost@hotel.example"):
        with pytest.raises(Refused, match="not encrypted"):
            _token(at, f"http://{elsewhere}/", lambda: "own")
    with pytest.raises(NotReached):
        _ask(tools_of(changes=False)["todaysArrivals"].request({}), "http://127.0.0.1:1", lambda: "own")


def test_an_answer_that_breaks_off_is_none_and_the_session_goes_on():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def broken_off():
            line, _ = server.accept()
            with line:
                line.recv(4096)
                line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")

        api = threading.Thread(target=broken_off)
        api.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        at = McpSession(tools_of(changes=False), lambda asked: _ask(asked, url, lambda: "own"))
        assert said(at, "tools/call", name="todaysArrivals")["result"]["isError"]
        api.join()
    half = {"keyCredentialId": "key_\ud800"}
    assert said(at, "tools/call", name="getCredential", arguments=half)["error"]["code"] == -32700


async def test_a_model_reads_a_stay_at_a_real_fleet(tmp_path):
    async with staffed(tmp_path, lambda base: {}) as staff:
        begins = staff.on.clock.now() + timedelta(days=2)
        first, last = (f"{begins + timedelta(days=each):%Y-%m-%dT%H:%M:%SZ}" for each in (0, 3))
        wanted = stay(validFrom=first, validUntil=last)
        _, _, booked = await staff.ask("POST", "/lock-api/lock/v1/stays", staff.badge(*Role), wanted)
        at = McpSession(
            tools_of(changes=True), lambda asked: _ask(asked, staff.url, lambda: staff.badge(*Role))
        )
        asked = {"name": "getStay", "arguments": {"reservationId": booked["reservation"]}}
        told = await asyncio.to_thread(said, at, "tools/call", **asked)
        assert told["result"]["structuredContent"]["reservation"] == booked["reservation"]
        ended = {"name": "checkOut", "arguments": {"reservationId": booked["reservation"], "body": {}}}
        told = await asyncio.to_thread(said, at, "tools/call", **ended)
        assert told["result"]["structuredContent"]["status"] == "checked_out"
