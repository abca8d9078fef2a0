"""Sagas contract: callbacks."""

import asyncio

import orjson
import pytest

from infra.local.sagas.service import CallbackRefused
from tests.contract.sagas.ground import SagasSetting
from tests.support.delivery_rig import until

WAITS = """
- open: {call: events.create_callback_endpoint, args: {http_callback_method: POST}, result: cb}
- tell: {call: http.post, args: {url: "http://127.0.0.1:1/tell", body: {url: "${cb.url}"}}}
- wait: {call: events.await_callback, args: {callback: "${cb}", timeout: 500}, result: got}
- done: {return: "${got.http_request.body.word}"}
"""
PATIENT = """
- open: {call: events.create_callback_endpoint, args: {http_callback_method: POST}, result: cb}
- tell: {call: http.post, args: {url: "http://127.0.0.1:1/tell", body: {url: "${cb.url}"}}}
- wait:
    try: {call: events.await_callback, args: {callback: "${cb}", timeout: 500}, result: got}
    except: {as: e, steps: [{late: {return: "${e.tags[0]}"}}]}
- done: {return: "${got.http_request.body.word}"}
"""
TWICE = """
- open: {call: events.create_callback_endpoint, args: {http_callback_method: POST}, result: cb}
- tell: {call: http.post, args: {url: "http://127.0.0.1:1/tell", body: {url: "${cb.url}"}}}
- first: {call: events.await_callback, args: {callback: "${cb}"}, result: a}
- second: {call: events.await_callback, args: {callback: "${cb}"}, result: b}
- done: {return: '${a.http_request.body.word + b.http_request.body.word}'}
"""


def _request(word, method="POST"):
    return {
        "http_request": {"body": {"word": word}, "method": method, "headers": {}, "query": {}, "url": "/"}
    }


async def _told(ground):
    await until(lambda: ground.script.sent("tell"))
    url = orjson.loads(ground.script.sent("tell")[0].body)["url"]
    return tuple(url.rsplit("/", 2)[1:])


class Waking(SagasSetting):
    """Callbacks."""

    def test_a_callback_wakes_the_execution_that_waits(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            execution = await process.sagas.start("waits", {})
            address = await _told(ground)
            await asyncio.sleep(60)
            await process.sagas.receive(*address, _request("hello"))
            assert (await process.finished(execution)).result == "hello"
            await process.die()

        self.play(tmp_path, scenario, {"waits": WAITS})

    def test_a_callback_before_the_wait_is_kept_for_it(self, tmp_path):
        async def scenario(ground):
            ground.script.held["tell"] = asyncio.Event()
            process = await ground.open()
            execution = await process.sagas.start("waits", {})
            address = await _told(ground)
            await process.sagas.receive(*address, _request("early"))
            await asyncio.sleep(1)
            ground.script.held["tell"].set()
            assert (await process.finished(execution)).result == "early"
            await process.die()

        self.play(tmp_path, scenario, {"waits": WAITS})

    def test_a_kept_callback_survives_the_process(self, tmp_path):
        async def scenario(ground):
            ground.script.held["tell"] = asyncio.Event()
            process = await ground.open()
            execution = await process.sagas.start("waits", {})
            address = await _told(ground)
            await process.sagas.receive(*address, _request("kept"))
            await process.die()
            ground.script.held.clear()
            again = await ground.open()
            assert (await again.finished(execution)).result == "kept"
            await again.die()

        self.play(tmp_path, scenario, {"waits": WAITS})

    def test_an_endpoint_is_open_again_right_after_a_restart(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            execution = await process.sagas.start("waits", {})
            address = await _told(ground)
            await asyncio.sleep(1)
            await process.die()
            again = await ground.open()
            await again.sagas.receive(*address, _request("back"))
            assert (await again.finished(execution)).result == "back"
            await again.die()

        self.play(tmp_path, scenario, {"waits": WAITS})

    def test_a_second_callback_waits_for_the_second_wait(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            execution = await process.sagas.start("twice", {})
            address = await _told(ground)
            await asyncio.sleep(1)
            await process.sagas.receive(*address, _request("a"))
            await asyncio.sleep(1)
            await process.sagas.receive(*address, _request("b"))
            assert (await process.finished(execution)).result == "ab"
            await process.die()

        self.play(tmp_path, scenario, {"twice": TWICE})

    def test_one_callback_at_a_time_may_wait_to_be_taken(self, tmp_path):
        async def scenario(ground):
            ground.script.held["tell"] = asyncio.Event()
            process = await ground.open()
            execution = await process.sagas.start("waits", {})
            address = await _told(ground)
            await process.sagas.receive(*address, _request("first"))
            with pytest.raises(CallbackRefused) as refusal:
                await process.sagas.receive(*address, _request("second"))
            assert refusal.value.status == 429
            ground.script.held["tell"].set()
            assert (await process.finished(execution)).result == "first"
            await process.die()

        self.play(tmp_path, scenario, {"waits": WAITS})

    def test_strange_callbacks_are_refused(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            execution = await process.sagas.start("waits", {})
            _, callback = await _told(ground)
            attempts = [(execution, "other"), ("other", callback), (execution, callback, "PUT")]
            statuses = []
            for named, endpoint, *method in attempts:
                with pytest.raises(CallbackRefused) as refusal:
                    await process.sagas.receive(named, endpoint, _request("x", *method))
                statuses.append(refusal.value.status)
            assert statuses == [404, 404, 405]
            await process.sagas.receive(execution, callback, _request("end"))
            await process.finished(execution)
            with pytest.raises(CallbackRefused) as refusal:
                await process.sagas.receive(execution, callback, _request("x"))
            assert refusal.value.status == 404
            await process.die()

        self.play(tmp_path, scenario, {"waits": WAITS})

    def test_nobody_calling_is_a_timeout_also_across_a_restart(self, tmp_path):
        async def scenario(ground):
            began = ground.clock.now()
            process = await ground.open()
            execution = await process.sagas.start("patient", {})
            await asyncio.sleep(400)
            await process.die()
            again = await ground.open()
            assert (await again.finished(execution)).result == "TimeoutError"
            assert 500 <= (ground.clock.now() - began).total_seconds() < 502
            await again.die()

        self.play(tmp_path, scenario, {"patient": PATIENT})
