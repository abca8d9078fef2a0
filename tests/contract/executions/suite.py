"""What records of executions promise, each guarantee in a test of its name."""

import pytest

from shared.ports.sagas import ExecutionState, UnknownExecution, UnknownWorkflow


class ExecutionsContract:
    """The guarantees of `shared.ports.executions.Executions`."""

    async def test_executions_are_listed_newest_first(self, setting):
        ids = [await setting.run("walk_doors", {"saga_id": f"key_{number}"}) for number in range(3)]
        found = await setting.subject.listed("walk_doors")
        assert [each.id for each in found] == [f"walk_doors/{id_}" for id_ in reversed(ids)]
        assert [each.saga for each in found] == ["key_2", "key_1", "key_0"]

    async def test_an_execution_says_how_it_stands_and_when_it_began_and_ended(self, setting):
        await setting.run("walk_doors", {"saga_id": "key_1"})
        (found,) = await setting.subject.listed("walk_doors")
        assert (found.workflow, found.state) == ("walk_doors", ExecutionState.SUCCEEDED)
        assert found.started_at.tzinfo is not None
        assert found.started_at <= found.ended_at

    async def test_only_the_newest_are_listed_where_a_limit_is_given(self, setting):
        ids = [await setting.run("walk_doors", {}) for _ in range(5)]
        found = await setting.subject.listed("walk_doors", limit=2)
        assert [each.id for each in found] == [f"walk_doors/{id_}" for id_ in (ids[4], ids[3])]

    async def test_only_those_of_a_state_are_listed_where_one_is_given(self, setting):
        await setting.run("walk_doors", {})
        failed = await setting.run("walk_doors", {"stumble": True})
        found = await setting.subject.listed("walk_doors", state=ExecutionState.FAILED)
        assert [each.id for each in found] == [f"walk_doors/{failed}"]

    async def test_a_workflow_that_is_not_deployed_is_said_to_be_unknown(self, setting):
        for name in ("nothing", "../x", ""):
            with pytest.raises(UnknownWorkflow):
                await setting.subject.listed(name)

    async def test_an_execution_without_a_saga_has_none(self, setting):
        await setting.run("walk_doors", {})
        assert (await setting.subject.listed("walk_doors"))[0].saga is None

    async def test_a_history_names_the_steps_in_order(self, setting):
        id_ = await setting.run("walk_doors", {})
        steps = [each for each in await setting.subject.history(f"walk_doors/{id_}") if each.kind == "step"]
        assert [each.what for each in steps] == ["first", "second", "last"]
        assert all(each.at for each in steps)
        assert [each.at for each in steps] == sorted(each.at for each in steps)

    async def test_a_history_says_what_failed_and_not_in_whose_words(self, setting):
        id_ = await setting.run("walk_doors", {"stumble": True, "secret": "canary"})
        happened = await setting.subject.history(f"walk_doors/{id_}")
        assert "error" in {each.kind for each in happened}
        assert "canary" not in repr(happened)

    async def test_what_was_never_started_is_said_to_be_unknown(self, setting):
        for name in ("walk_doors/nothing", "nothing", "a/b/c", ""):
            with pytest.raises(UnknownExecution):
                await setting.subject.history(name)
