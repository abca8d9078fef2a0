"""Entry points bound their own time: on Google Cloud nobody else would stop a handler."""

import asyncio
import base64
from dataclasses import replace

import orjson
from starlette.requests import Request

from functions.upkeep import main
from shared.runtime.platform import QUARANTINE_TOPIC, deployed
from shared.usecases.upkeep import probe_platform
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

        monkeypatch.setattr(probe_platform, "count_visit", endless)
        function = on.fleet._functions["probe-answer"].deployed
        token = deployed.set(replace(function, timeout=7.0))
        answer = await main.probe_answer(_request(on, {"probe": "p", "execution": "e"}))
        deployed.reset(token)
        return answer.status_code, orjson.loads(answer.body)["error"]["kind"], stopped, on.log.getvalue()

    status, kind, stopped, lines = play(tmp_path, scenario)
    assert (status, kind) == (504, "FunctionTimeout")
    assert stopped == [7.0]
    assert "the function took too long" in lines


def test_what_google_adds_to_a_message_does_not_keep_it_out_of_the_quarantine(tmp_path):
    attributes = {"googclient_schemaencoding": "JSON", "googclient_traceparent": "00-1"}
    message = {"messageId": "7", "data": base64.b64encode(b"bad").decode(), "attributes": attributes}
    push = {"message": message, "subscription": "projects/p/subscriptions/on-config-updated"}

    async def scenario(on):
        status, _ = await on.send("on-config-updated", push, caller="pubsub-push")
        letters = on.fleet.bus.dead_letters.page(topic=QUARANTINE_TOPIC)
        return status, [letter.notes for letter in letters]

    status, (kept,) = play(tmp_path, scenario)
    assert status == 204
    assert "JSON" in kept["reason"]


def test_of_two_tokens_the_one_that_google_checked_counts(tmp_path):
    async def scenario(on):
        async def asked(first, second):
            audience = f"{on.fleet.config.base_url}/executions"
            tokens = [on.fleet.identity.token(caller, audience) for caller in (first, second)]
            headers = {
                "x-serverless-authorization": f"Bearer {tokens[0]}",
                "authorization": f"Bearer {tokens[1]}",
            }
            return (await on.send("executions", {"workflow": "work_on_key"}, headers=headers))[0]

        return await asked("operator", "pubsub-push"), await asked("pubsub-push", "operator")

    assert play(tmp_path, scenario) == (200, 403)
