"""What the sagas port promises wherever it runs; what workflow files do in between is tested elsewhere."""

import pytest

from shared.ports.sagas import (
    ArgumentRefused,
    CallbackGone,
    ExecutionState,
    SagaError,
    UnknownExecution,
    UnknownWorkflow,
)

SOURCES = {
    "echo": "main: {params: [a], steps: [{r: {return: '${a.x}'}}]}",
    "fail": "- no: {raise: {code: 7, tags: [Mine]}}",
    "fail_plainly": "- no: {raise: 'out of order'}",
    "me": "- me: {return: '${sys.get_env(\"GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID\")}'}",
    "wait": "- nap: {call: sys.sleep, args: {seconds: 1000}}",
    "waits_for_a_call": """
- open: {call: events.create_callback_endpoint, args: {http_callback_method: POST}, result: cb}
- tell: {call: http.post, args: {url: "http://127.0.0.1:1/tell", body: {url: "${cb.url}"}}}
- wait: {call: events.await_callback, args: {callback: "${cb}"}, result: got}
- done: {return: "${got.http_request.body.word}"}
""",
}


class SagasPort:
    """The guarantees of `shared.ports.sagas`."""

    @pytest.mark.parametrize("value", [42, 0.5, "text", True, None, [1, {"a": []}], {"ä": "؟"}])
    async def test_an_execution_returns_its_result(self, setting, value):
        execution = await setting.sagas.start("echo", {"x": value})
        ended = await setting.ended(execution)
        assert (ended.id, ended.workflow) == (execution, "echo")
        assert (ended.state, ended.result, ended.error) == (ExecutionState.SUCCEEDED, value, None)

    @pytest.mark.parametrize(
        ("workflow", "error"), [("fail", {"code": 7, "tags": ["Mine"]}), ("fail_plainly", "out of order")]
    )
    async def test_an_uncaught_error_is_the_executions_error(self, setting, workflow, error):
        ended = await setting.ended(await setting.sagas.start(workflow, {}))
        assert (ended.state, ended.result, ended.error) == (ExecutionState.FAILED, None, error)

    async def test_an_execution_is_found_by_what_it_knows_itself_as(self, setting):
        known_as = (await setting.ended(await setting.sagas.start("me", {}))).result
        found = await setting.sagas.get(f"me/{known_as}")
        assert (found.state, found.result) == (ExecutionState.SUCCEEDED, known_as)
        assert await setting.sagas.get(f"echo/{known_as}") is None

    async def test_an_execution_under_way_is_active(self, setting):
        found = await setting.sagas.get(await setting.sagas.start("wait", {}))
        assert (found.state, found.state.terminal) == (ExecutionState.ACTIVE, False)

    async def test_a_repeated_start_begins_another_execution(self, setting):
        first, second = [await setting.sagas.start("echo", {"x": 1}) for _ in range(2)]
        assert first != second

    async def test_an_execution_is_found_after_a_restart(self, setting):
        execution = await setting.sagas.start("wait", {})
        await setting.reopen()
        assert (await setting.sagas.get(execution)).id == execution

    @pytest.mark.parametrize("name", ["nothing", "", "../echo", "a b", "echo/executions/x"])
    async def test_an_unknown_workflow_is_refused_by_name(self, setting, name):
        with pytest.raises(UnknownWorkflow, match=name or "''"):
            await setting.sagas.start(name, {})

    async def test_an_argument_over_32_kb_or_not_json_is_refused(self, setting):
        room = 32 * 1024 - len('{"x":""}')
        await setting.sagas.start("echo", {"x": "y" * room})
        with pytest.raises(ArgumentRefused, match="32 KB"):
            await setting.sagas.start("echo", {"x": "y" * (room + 1)})
        with pytest.raises(ArgumentRefused, match="not JSON"):
            await setting.sagas.start("echo", {"x": object()})

    async def test_a_cancelled_execution_is_cancelled_once_and_for_all(self, setting):
        execution = await setting.sagas.start("wait", {})
        for _ in range(2):
            await setting.sagas.cancel(execution)
            assert (await setting.sagas.get(execution)).state is ExecutionState.CANCELLED

    async def test_an_execution_that_ended_is_not_cancelled(self, setting):
        execution = await setting.sagas.start("echo", {"x": 1})
        await setting.ended(execution)
        await setting.sagas.cancel(execution)
        assert (await setting.sagas.get(execution)).state is ExecutionState.SUCCEEDED

    @pytest.mark.parametrize("execution", ["nobody", "echo/nobody", "", "a/b/c", "echo/../x"])
    async def test_an_execution_nobody_knows_is_none_and_cannot_be_cancelled(self, setting, execution):
        assert await setting.sagas.get(execution) is None
        with pytest.raises(UnknownExecution):
            await setting.sagas.cancel(execution)

    async def test_a_callback_wakes_the_execution_that_waits(self, setting):
        execution = await setting.sagas.start("waits_for_a_call", {})
        await setting.sagas.call_back(await setting.callback_url(), {"word": "hello"})
        assert (await setting.ended(execution)).result == "hello"

    async def test_a_second_callback_before_the_first_is_taken_does_no_harm(self, setting):
        setting.hold()
        execution = await setting.sagas.start("waits_for_a_call", {})
        url = await setting.callback_url()
        for word in ("first", "second"):
            await setting.sagas.call_back(url, {"word": word})
        setting.let_go()
        assert (await setting.ended(execution)).result == "first"

    async def test_a_callback_for_an_execution_that_ended_is_gone(self, setting):
        execution = await setting.sagas.start("waits_for_a_call", {})
        url = await setting.callback_url()
        await setting.sagas.cancel(execution)
        with pytest.raises(CallbackGone):
            await setting.sagas.call_back(url, {"word": "late"})

    @pytest.mark.parametrize("url", ["https://callbacks.example/x", "", "file:///etc/passwd"])
    async def test_nothing_is_sent_to_an_address_that_is_no_callback(self, setting, url):
        with pytest.raises(SagaError):
            await setting.sagas.call_back(url, {})
        assert setting.sent == []
