"""Sagas contract: broken revisions, moved fleets, set clocks, callers that give up."""

import asyncio
from datetime import timedelta

import pytest

from infra.local.storage.database import checksum
from infra.local.workflows import limits
from shared.ports.sagas import ExecutionState
from shared.vendor_kit.http import Answer
from tests.contract.sagas.ground import SagasSetting, Settable, json_answer
from tests.support.delivery_rig import until

NAP = "[{nap: {call: sys.sleep, args: {seconds: 100}}}, {done: {return: rested}}]"
ASK = """
- ask:
    call: http.post
    args: {url: '${sys.get_env("FLEET_URL") + "/ask"}', body: {n: 1}, auth: {type: OIDC}}
- done: {return: asked}
"""
FORKED = """
- fork:
    parallel:
      branches:
        - calls:
            steps:
              - one: {call: http.get, args: {url: "http://127.0.0.1:1/one"}}
              - two: {call: http.get, args: {url: "http://127.0.0.1:1/two"}}
        - sleeps: {steps: [{nap: {call: sys.sleep, args: {seconds: 100000}}}]}
"""
FATAL = """
- fork:
    parallel:
      branches:
        - sleeps: {steps: [{nap: {call: sys.sleep, args: {seconds: 31000000}}}]}
        - spins: {steps: [{a: {assign: [x: 1]}}, {b: {next: a}}]}
"""


class Adversity(SagasSetting):
    """Broken revisions, moved fleets, set clocks, callers that give up."""

    @pytest.mark.parametrize("source", [None, "- a: {unknown: 1}"])
    def test_an_execution_that_cannot_be_read_ends_alone(self, tmp_path, source):
        async def scenario(ground):
            process = await ground.open()
            broken = await process.sagas.start("nap", {})
            ground.sources["nap"] = NAP.replace("rested", "renewed")
            revision = process.sagas.kept(broken).revision
            change = "DELETE FROM revisions WHERE digest = ?3"
            if source is not None:
                change = "UPDATE revisions SET source = ?1, crc = ?2 WHERE digest = ?3"
            values = (source, checksum(source), revision)
            await process.engine.write(
                lambda db: db.execute(change, values if source else (None, None, revision)) and None
            )
            await process.die()
            again = await ground.open()
            sound = await again.sagas.start("nap", {})
            assert (await again.finished(sound)).result == "renewed"
            assert (await again.sagas.get(broken)).state is ExecutionState.FAILED
            await again.die()

        self.play(tmp_path, scenario, {"nap": NAP})

    def test_a_start_whose_caller_gave_up_is_run_all_the_same(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            begin, slow = process.engine.begin, asyncio.Event()

            async def slowly(operation):
                await slow.wait()
                return await begin(operation)

            process.engine.begin = lambda operation: asyncio.ensure_future(slowly(operation))
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1):
                    await process.sagas.start("nap", {})
            process.engine.begin = begin
            slow.set()
            await asyncio.sleep(1)
            await process.sagas.settled()
            assert [kept.execution.result for kept in process.sagas.listed()] == ["rested"]
            await process.die()

        self.play(tmp_path, scenario, {"nap": NAP})

    def test_a_verdict_reached_in_the_replay_is_kept(self, tmp_path, monkeypatch):
        async def scenario(ground):
            process = await ground.open()
            execution = await process.sagas.start("nap", {})
            await asyncio.sleep(1)
            await process.die()
            monkeypatch.setattr(limits, "STEPS", 0)
            again = await ground.open()
            assert (await again.finished(execution)).state is ExecutionState.FAILED
            await again.die()

        self.play(tmp_path, scenario, {"nap": NAP})

    def test_after_a_move_the_call_in_flight_finds_the_fleet(self, tmp_path):
        async def scenario(ground):
            ground.script.held["ask"] = asyncio.Event()
            process = await ground.open()
            execution = await process.sagas.start("ask_it", {})
            await until(lambda: ground.script.sent("ask"))
            await process.die()
            ground.base = "http://127.0.0.1:2"
            ground.script.held.clear()
            again = await ground.open()
            assert (await again.finished(execution)).result == "asked"
            before, after = ground.script.sent("ask")
            assert (before.url, after.url) == ("http://127.0.0.1:1/ask", "http://127.0.0.1:2/ask")
            assert after.headers["authorization"].endswith(">http://127.0.0.1:2/ask")
            assert after.body == before.body
            await again.die()

        self.play(tmp_path, scenario, {"ask_it": ASK})

    def test_a_clock_that_was_ahead_delays_no_sleep(self, tmp_path):
        async def scenario(ground):
            ground.clock = clock = Settable(ground.clock)
            clock.ahead = timedelta(days=30)
            process = await ground.open()
            execution = await process.sagas.start("nap", {})
            await asyncio.sleep(1)
            await process.die()
            clock.ahead = timedelta()
            began = asyncio.get_running_loop().time()
            again = await ground.open()
            assert (await again.finished(execution)).result == "rested"
            assert asyncio.get_running_loop().time() - began <= 101
            await again.die()

        self.play(tmp_path, scenario, {"nap": NAP})

    def test_a_clock_set_forward_ends_a_sleep_soon(self, tmp_path):
        async def scenario(ground):
            ground.clock = clock = Settable(ground.clock)
            process = await ground.open()
            execution = await process.sagas.start("nap", {})
            await asyncio.sleep(1)
            clock.ahead = timedelta(days=30)
            assert (await process.finished(execution)).result == "rested"
            assert asyncio.get_running_loop().time() < 1000
            await process.die()

        self.play(tmp_path, scenario, {"nap": NAP.replace("100", "1000000")})

    def test_a_sleep_of_a_year_ends(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            execution = await process.sagas.start("nap", {})
            assert (await process.finished(execution)).result == "rested"
            await process.die()

        self.play(tmp_path, scenario, {"nap": NAP.replace("100", "31536000")})

    @pytest.mark.parametrize("seed", range(12))
    def test_a_cancelled_execution_begins_no_further_call(self, tmp_path, seed):
        async def scenario(ground):
            ground.script.answers["one"] = [json_answer({})]
            ground.script.held["one"] = asyncio.Event()
            process = await ground.open()
            execution = await process.sagas.start("forked", {})
            await until(lambda: ground.script.sent("one"))
            ground.script.held["one"].set()
            for _ in range(seed):
                await asyncio.sleep(0)
            await process.sagas.cancel(execution)
            sent = len(ground.script.sent("two"))
            await asyncio.sleep(1000)
            assert len(ground.script.sent("two")) == sent
            assert not [task for task in asyncio.all_tasks() if "_perform" in repr(task)]
            await process.die()

        self.play(tmp_path, scenario, {"forked": FORKED}, seed=seed)

    def test_an_execution_that_ended_lets_go_of_its_operations(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            ended = await process.finished(await process.sagas.start("fatal", {}))
            assert ended.error["tags"] == ["ResourceLimitError"]
            assert not [task for task in asyncio.all_tasks() if "_perform" in repr(task)]
            await process.die()

        self.play(tmp_path, scenario, {"fatal": FATAL})

    def test_an_answer_that_is_too_large_is_refused_and_not_kept(self, tmp_path):
        async def scenario(ground):
            ground.script.answers["ask"] = [Answer(200, {}, b"x" * 3_000_000)]
            process = await ground.open()
            ended = await process.finished(await process.sagas.start("ask_it", {}))
            assert ended.error["tags"] == ["ResourceLimitError"]
            (size,) = process.engine.read("SELECT sum(length(entry)) FROM journal")[0]
            assert size < 1000
            await process.die()

        self.play(tmp_path, scenario, {"ask_it": ASK})
