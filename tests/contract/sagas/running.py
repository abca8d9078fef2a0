"""Sagas contract: starting, ending, looking, stopping."""

import pytest

from shared.ports.sagas import ArgumentRefused, ExecutionState, UnknownExecution, UnknownWorkflow
from shared.vendor_kit.http import ConnectionBroken, ConnectionFailed, TimedOut
from tests.contract.sagas.ground import SagasSetting, json_answer

ECHO = {"echo": "main: {params: [a], steps: [{r: {return: '${a.x + 1}'}}]}"}
ASK = """
main:
  params: [a]
  steps:
    - ask:
        call: http.post
        args: {url: '${sys.get_env("FLEET_URL") + "/ask"}', body: {n: "${a.n}"}, auth: {type: OIDC}}
        result: r
    - done: {return: "${r.body.answer}"}
"""
FAULTS = """
- ask:
    try: {call: http.get, args: {url: "http://127.0.0.1:1/ask"}}
    except: {as: e, steps: [{r: {return: "${e.tags[0]}"}}]}
"""
WAIT = """
- nap: {call: sys.sleep, args: {seconds: 1000}}
- done: {return: rested}
"""
FAIL = "- no: {raise: {code: 7, tags: [Mine]}}"


class Running(SagasSetting):
    """Starting, ending, looking, stopping."""

    def test_an_execution_runs_to_its_result(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            execution = await process.sagas.start("echo", {"x": 41})
            ended = await process.finished(execution)
            assert (ended.state, ended.result, ended.error) == (ExecutionState.SUCCEEDED, 42, None)
            assert ended.workflow == "echo"
            await process.die()

        self.play(tmp_path, scenario, ECHO)

    def test_an_uncaught_error_is_the_executions_error(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            ended = await process.finished(await process.sagas.start("fail", {}))
            assert (ended.state, ended.error) == (ExecutionState.FAILED, {"code": 7, "tags": ["Mine"]})
            await process.die()

        self.play(tmp_path, scenario, {"fail": FAIL})

    def test_a_call_carries_the_workflows_own_identity(self, tmp_path):
        async def scenario(ground):
            ground.script.answers["ask"] = [json_answer({"answer": "yes"})]
            process = await ground.open()
            ended = await process.finished(await process.sagas.start("ask_it", {"n": 1}))
            (call,) = ground.script.calls
            assert ended.result == "yes"
            assert call.headers["authorization"] == "Bearer workflow-ask-it>http://127.0.0.1:1/ask"
            assert call.body == b'{"n":1}'
            await process.die()

        self.play(tmp_path, scenario, {"ask_it": ASK})

    def test_each_kind_of_fault_has_its_tag(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            tags = []
            for fault in (ConnectionFailed("x"), ConnectionBroken("x"), TimedOut("x")):
                ground.script.answers["ask"] = [fault]
                tags.append((await process.finished(await process.sagas.start("faults", {}))).result)
            assert tags == ["ConnectionFailedError", "ConnectionError", "TimeoutError"]
            await process.die()

        self.play(tmp_path, scenario, {"faults": FAULTS})

    def test_a_repeated_start_begins_another_execution(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            first = await process.sagas.start("echo", {"x": 1})
            second = await process.sagas.start("echo", {"x": 1})
            assert first != second
            await process.sagas.settled()
            await process.die()

        self.play(tmp_path, scenario, ECHO)

    def test_a_double_start_is_injected_where_a_test_asks_for_it(self, tmp_path):
        async def scenario(ground):
            ground.script.answers["ask"] = [json_answer({"answer": "yes"})]
            process = await ground.open()
            await process.finished(await process.sagas.start("ask_it", {"n": 1}))
            assert len(ground.script.calls) == 2
            assert len(process.sagas.listed("ask_it")) == 2
            await process.die()

        self.play(tmp_path, scenario, {"ask_it": ASK}, starts=2)

    def test_an_unknown_workflow_is_refused_and_the_known_ones_named(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            with pytest.raises(UnknownWorkflow, match="name one of echo"):
                await process.sagas.start("nothing", {})
            await process.die()

        self.play(tmp_path, scenario, ECHO)

    def test_an_argument_over_32_kb_is_refused_and_nothing_starts(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            await process.sagas.start("echo", {"x": 1, "pad": "y" * (32 * 1024 - 20)})
            with pytest.raises(ArgumentRefused, match="32 KB"):
                await process.sagas.start("echo", {"x": 1, "pad": "y" * (32 * 1024)})
            with pytest.raises(ArgumentRefused, match="not JSON"):
                await process.sagas.start("echo", {"x": object()})
            assert len(process.sagas.listed()) == 1
            await process.sagas.settled()
            await process.die()

        self.play(tmp_path, scenario, ECHO)

    def test_a_cancelled_execution_stops_where_it_is(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            execution = await process.sagas.start("wait", {})
            await process.sagas.cancel(execution)
            await process.sagas.cancel(execution)
            assert (await process.sagas.get(execution)).state is ExecutionState.CANCELLED
            await process.die()
            again = await ground.open()
            await again.sagas.settled()
            assert (await again.sagas.get(execution)).state is ExecutionState.CANCELLED
            await again.die()

        self.play(tmp_path, scenario, {"wait": WAIT})

    def test_an_execution_that_ended_is_not_cancelled(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            ended = await process.finished(await process.sagas.start("echo", {"x": 1}))
            await process.sagas.cancel(ended.id)
            assert (await process.sagas.get(ended.id)).state is ExecutionState.SUCCEEDED
            with pytest.raises(UnknownExecution):
                await process.sagas.cancel("nobody")
            assert await process.sagas.get("nobody") is None
            await process.die()

        self.play(tmp_path, scenario, ECHO)

    def test_executions_are_listed_newest_first(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            ids = [await process.sagas.start(name, {"x": 1}) for name in ("echo", "wait", "echo")]
            assert [kept.execution.id for kept in process.sagas.listed()] == ids[::-1]
            assert [kept.execution.id for kept in process.sagas.listed("wait", "ACTIVE")] == [ids[1]]
            assert len(process.sagas.listed(limit=1)) == 1
            await process.die()

        self.play(tmp_path, scenario, {**ECHO, "wait": WAIT})

    def test_billable_steps_are_counted(self, tmp_path):
        async def scenario(ground):
            process = await ground.open()
            ended = await process.finished(await process.sagas.start("echo", {"x": 1}))
            assert process.sagas.kept(ended.id).steps == 1
            assert ground.counters["billable_steps"] == 1
            await process.die()

        self.play(tmp_path, scenario, ECHO)
