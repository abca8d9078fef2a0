"""Entry points bound their own time: on Google Cloud nobody else would stop a handler."""

import asyncio
from dataclasses import replace

import orjson
from starlette.requests import Request

from functions.upkeep import main
from shared.runtime.platform import deployed
from tests.support.simulated import play

CALLER = "workflow-probe-platform"


def _request(on, body):
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {on.fleet.identity.token(CALLER, on.audience)}".encode())],
    }

    async def receive():
        return {"type": "http.request", "body": orjson.dumps(body), "more_body": False}

    return Request(scope, receive)


def test_a_handler_that_takes_too_long_is_stopped_and_says_so(tmp_path, monkeypatch):
    async def scenario(on):
        on.audience = f"{on.fleet.config.base_url}/probe-answer"
        began, stopped = asyncio.get_running_loop().time(), []

        async def endless(*_):
            try:
                await asyncio.sleep(3600)
            finally:
                stopped.append(asyncio.get_running_loop().time() - began)

        monkeypatch.setattr(main, "count_visit", endless)
        function = on.fleet._functions["probe-answer"].deployed
        token = deployed.set(replace(function, timeout=7.0))
        answer = await main.probe_answer(_request(on, {"probe": "p", "execution": "e"}))
        deployed.reset(token)
        return answer.status_code, orjson.loads(answer.body)["error"]["kind"], stopped, on.log.getvalue()

    status, kind, stopped, lines = play(tmp_path, scenario)
    assert (status, kind) == (504, "FunctionTimeout")
    assert stopped == [7.0]
    assert "the function took too long" in lines
