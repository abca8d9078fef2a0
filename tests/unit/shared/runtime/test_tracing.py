"""Where traces go: over a real socket to whichever collector the environment names."""

import asyncio

import orjson
import pytest
from aiohttp import web

from infra.local.ambient import SeededEntropy
from infra.local.transport import Sockets
from shared.domain.errors import InvalidInput
from shared.kernel.spans import traced
from shared.runtime.tracing import ENDPOINT, GOOGLE, tracing_of
from shared.vendor_kit.http import Answer
from tests.contract.delivery.sockets import listening
from tests.contract.embedded import ManualClock


class Somebody:
    """Says who we are."""

    async def token(self):
        return "access-token"


class Google:
    """Google's own collector."""

    def __init__(self):
        self.calls = []

    async def send(self, call):
        self.calls.append(call)
        return Answer(200)


def _tracing(endpoint, http, access=None):
    environment = {ENDPOINT: endpoint, "K_SERVICE": "adapter-mock", "GOOGLE_CLOUD_PROJECT": "hotel-locks"}
    return tracing_of(environment, http, ManualClock(), SeededEntropy(1), access)


async def test_spans_reach_a_collector_over_http():
    bodies = []

    async def collect(request):
        bodies.append((request.path, request.headers["content-type"], orjson.loads(await request.read())))
        return web.Response(text="{}")

    http = Sockets()
    async with listening(collect) as url:
        tracing = _tracing(f"{url}/", http)
        with traced(tracing, "adapter-mock", ""):
            pass
        await tracing.recorder.flush()
        await http.close()
    ((path, kind, body),) = bodies
    assert (path, kind) == ("/v1/traces", "application/json")
    told = {
        each["key"]: each["value"]["stringValue"]
        for each in body["resourceSpans"][0]["resource"]["attributes"]
    }
    assert told == {
        "service.name": "lock-integration-service",
        "faas.name": "adapter-mock",
        "gcp.project_id": "hotel-locks",
    }
    assert body["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"] == "adapter-mock"


async def test_a_collector_that_hangs_holds_no_request_up():
    hangs, http = asyncio.Event(), Sockets()

    async def hang(request):
        await hangs.wait()
        return web.Response()

    async with listening(hang) as url:
        tracing = _tracing(url, http)
        async with asyncio.timeout(1):
            for _ in range(100):
                with traced(tracing, "adapter-mock", ""):
                    await asyncio.sleep(0)
        hangs.set()
        await tracing.recorder.flush()
        await http.close()


async def test_googles_own_collector_is_told_who_we_are():
    google = Google()
    tracing = _tracing(f"https://telemetry{GOOGLE}", google, Somebody())
    with traced(tracing, "adapter-mock", ""):
        pass
    await tracing.recorder.flush()
    (call,) = google.calls
    assert (call.url, call.headers["authorization"]) == (
        f"https://telemetry{GOOGLE}/v1/traces",
        "Bearer access-token",
    )


def test_without_a_collector_nobody_records():
    assert tracing_of({}, None, None, None) is None


@pytest.mark.parametrize("endpoint", ["collector:4317", "ftp://collector", "http://"])
def test_an_address_that_is_none_is_refused(endpoint):
    with pytest.raises(InvalidInput):
        _tracing(endpoint, None)
