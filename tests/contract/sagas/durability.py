"""Sagas contract: what outlives the process."""

import asyncio

import orjson

from shared.ports.documents import StorageFull
from shared.ports.sagas import ExecutionState
from tests.contract.sagas.ground import SagasSetting, json_answer
from tests.support.delivery_rig import until

THREE = """
- draw:
    assign: [name: "${uuid.generate()}", at: "${sys.now()}"]
- one:
    call: http.post
    args: {url: "http://127.0.0.1:1/one", body: {name: "${name}", at: "${at}"}}
    result: a
- two:
    call: http.post
    args: {url: "http://127.0.0.1:1/two", body: {name: "${uuid.generate()}", was: "${a.body.n}"}}
    result: b
- three:
    call: http.post
    args: {url: "http://127.0.0.1:1/three", body: {sum: "${a.body.n + b.body.n}"}}
    result: c
- done: {return: ["${name}", "${a.body.n}", "${b.body.n}", "${c.body.n}"]}
"""
NAP = "[{nap: {call: sys.sleep, args: {seconds: 100}}}, {done: {return: '${sys.now()}'}}]"
FORKED = """
- start: {assign: [out: []]}
- fork:
    parallel:
      shared: [out]
      for:
        value: v
        in: [1, 2, 3]
        steps:
          - ask: {call: http.get, args: {url: '${"http://127.0.0.1:1/p" + string(v)}'}, result: r}
          - keep: {assign: [out: "${list.concat(out, r.body.n)}"]}
- last: {call: http.post, args: {url: "http://127.0.0.1:1/last", body: {out: "${out}"}}}
- done: {return: "${out}"}
"""


class Durability(SagasSetting):
    """What outlives the process."""

    def test_a_started_execution_survives_and_goes_on(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            execution = await process.sagas.start("nap", {})
            await process.die()
            again = await ground.open()
            assert (await again.finished(execution)).state is ExecutionState.SUCCEEDED
            await again.die()

        self.play(tmp_path, scenario, {"nap": NAP})

    def test_a_finished_call_is_not_repeated(self, tmp_path):
        async def scenario(ground):
            for number, name in enumerate(("one", "two", "three")):
                ground.script.answers[name] = [json_answer({"n": number})]
            ground.script.held["three"] = asyncio.Event()
            process = await ground.open()
            execution = await process.sagas.start("three", {})
            await until(lambda: ground.script.sent("three"))
            await process.die()
            ground.script.held.clear()
            again = await ground.open()
            ended = await again.finished(execution)
            assert ended.state is ExecutionState.SUCCEEDED
            assert ended.result[1:] == [0, 1, 2]
            assert [len(ground.script.sent(name)) for name in ("one", "two", "three")] == [1, 1, 2]
            await again.die()

        self.play(tmp_path, scenario, {"three": THREE})

    def test_a_call_in_flight_is_sent_again_as_it_was(self, tmp_path):
        async def scenario(ground):
            ground.script.answers["one"] = [json_answer({"n": 1})]
            ground.script.held["two"] = asyncio.Event()
            process = await ground.open()
            execution = await process.sagas.start("three", {})
            for _ in range(3):
                seen = len(ground.script.sent("two"))
                await until(lambda seen=seen: len(ground.script.sent("two")) > seen)
                await process.die()
                process = await ground.open()
            first, *rest = ground.script.sent("two")
            assert len(rest) >= 2
            assert all(call == first for call in rest)
            await process.sagas.cancel(execution)
            await process.die()

        self.play(tmp_path, scenario, {"three": THREE})

    def test_time_and_chance_are_frozen_in_the_journal(self, tmp_path):
        async def scenario(ground):
            ground.script.held["one"] = asyncio.Event()
            process = await ground.open()
            execution = await process.sagas.start("three", {})
            await until(lambda: ground.script.sent("one"))
            await process.die()
            await asyncio.sleep(3600)
            process = await ground.open()
            await until(lambda: len(ground.script.sent("one")) == 2)
            first, second = (orjson.loads(call.body) for call in ground.script.sent("one"))
            assert first == second
            await process.sagas.cancel(execution)
            await process.die()

        self.play(tmp_path, scenario, {"three": THREE})

    def test_an_execution_keeps_the_revision_it_started_with(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            old = await process.sagas.start("nap", {})
            await process.die()
            ground.sources["nap"] = "[{done: {return: new}}]"
            again = await ground.open()
            new = await again.sagas.start("nap", {})
            assert (await again.finished(new)).result == "new"
            assert isinstance((await again.finished(old)).result, float)
            await again.die()

        self.play(tmp_path, scenario, {"nap": NAP})

    def test_a_sleep_ends_when_it_would_have_without_the_crash(self, tmp_path):
        async def scenario(ground):
            began = ground.clock.now().timestamp()
            process = await ground.open()
            execution = await process.sagas.start("nap", {})
            await asyncio.sleep(60)
            await process.die()
            await asyncio.sleep(30)
            again = await ground.open()
            assert 100 <= (await again.finished(execution)).result - began < 101
            await again.die()

        self.play(tmp_path, scenario, {"nap": NAP})

    def test_parallel_branches_resume_in_the_order_they_were_seen(self, tmp_path):
        async def scenario(ground):
            for number in (1, 2, 3):
                ground.script.answers[f"p{number}"] = [json_answer({"n": number})]
                ground.script.held[f"p{number}"] = asyncio.Event()
            ground.script.held["last"] = asyncio.Event()
            process = await ground.open()
            execution = await process.sagas.start("forked", {})
            for number in (3, 1, 2):
                await asyncio.sleep(1)
                ground.script.held[f"p{number}"].set()
            await until(lambda: ground.script.sent("last"))
            await process.die()
            ground.script.held["last"].set()
            again = await ground.open()
            assert (await again.finished(execution)).result == [3, 1, 2]
            first, second = ground.script.sent("last")
            assert first == second
            await again.die()

        self.play(tmp_path, scenario, {"forked": FORKED})

    def test_with_a_full_disk_nothing_goes_ahead_of_the_journal(self, tmp_path):
        async def scenario(ground):
            for name in ("one", "two", "three"):
                ground.script.answers[name] = [json_answer({"n": 1})]
            ground.script.held["one"] = asyncio.Event()
            process = await ground.open()
            execution = await process.sagas.start("three", {})
            await until(lambda: ground.script.sent("one"))
            write, refusals = process.engine.write, []

            async def no_room(_operation):
                refusals.append(1)
                raise StorageFull("full")

            process.engine.write = no_room
            ground.script.held["one"].set()
            await until(lambda: len(refusals) > 3)
            assert not ground.script.sent("two")
            process.engine.write = write
            assert (await process.finished(execution)).state is ExecutionState.SUCCEEDED
            assert len(ground.script.sent("one")) == 1
            await process.die()

        self.play(tmp_path, scenario, {"three": THREE})

    def test_the_history_tells_every_step_and_no_body(self, tmp_path):
        async def scenario(ground):
            from infra.local.sagas.history import history

            for name in ("one", "two", "three"):
                ground.script.answers[name] = [json_answer({"n": 1, "pin": "canary"})]
            process = await ground.open()
            ended = await process.finished(await process.sagas.start("three", {}))
            kept, happenings = await history(process.sagas, ended.id)
            assert kept.execution == ended
            assert [h.what for h in happenings if h.kind == "step"] == ["draw", "one", "two", "three", "done"]
            assert "POST http://127.0.0.1:1/one: 200" in [h.what for h in happenings]
            assert "canary" not in str(happenings)
            await process.die()

        self.play(tmp_path, scenario, {"three": THREE})

    def test_executions_that_ended_long_ago_are_forgotten(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            old = await process.finished(await process.sagas.start("nap", {}))
            await asyncio.sleep(1000)
            edge = ground.clock.now()
            new = await process.finished(await process.sagas.start("nap", {}))
            running = await process.sagas.start("nap", {})
            from infra.local.sagas.journal import Journal

            assert await Journal(process.engine, ground.clock.now).purge(edge) == 1
            assert await process.sagas.get(old.id) is None
            assert await process.sagas.get(new.id) is not None
            assert (await process.finished(running)).state is ExecutionState.SUCCEEDED
            await process.die()

        self.play(tmp_path, scenario, {"nap": NAP})
