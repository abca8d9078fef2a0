"""What the task queue promises wherever it runs."""

import asyncio
from datetime import datetime, timedelta

import orjson
import pytest

from shared.ports.tasks import Task, TaskExists, TaskRefused

SWEEP = "sweep-ledger"
RELAY = "relay-outbox"


class TaskQueuePort:
    """The guarantees of `shared.ports.tasks`."""

    async def test_a_task_is_a_post_of_its_json_body_to_its_function(self, setting):
        await setting.tasks.enqueue(Task(SWEEP, {"tenant": "tnt_1", "n": 1}, "first"))
        (call,) = await setting.calls()
        assert (call.method, call.url) == ("POST", setting.url_of(SWEEP))
        assert orjson.loads(call.body) == {"tenant": "tnt_1", "n": 1}
        assert call.headers["content-type"] == "application/json"

    async def test_a_call_carries_a_token_of_the_queues_identity_for_that_function_alone(self, setting):
        await setting.tasks.enqueue(Task(RELAY))
        (call,) = await setting.calls()
        assert call.headers["authorization"] == f"Bearer {setting.caller}->{setting.url_of(RELAY)}"

    async def test_a_task_without_a_body_sends_an_empty_object(self, setting):
        await setting.tasks.enqueue(Task(SWEEP))
        assert [call.body for call in await setting.calls()] == [b"{}"]

    async def test_a_task_has_the_name_it_was_given_or_one_of_its_own(self, setting):
        names = [await setting.tasks.enqueue(Task(SWEEP, name=name)) for name in ("hourly", None, None)]
        assert names[0] == "hourly"
        assert len(set(names)) == 3

    async def test_a_name_is_taken_while_its_task_waits(self, setting):
        later = setting.clock.now() + timedelta(days=2)
        await setting.tasks.enqueue(Task(SWEEP, name="hourly", not_before=later))
        with pytest.raises(TaskExists, match=r"'hourly' of sweep-ledger is queued, or was"):
            await setting.tasks.enqueue(Task(SWEEP, name="hourly"))
        assert await setting.calls() == []

    async def test_a_name_stays_taken_after_its_task_is_done(self, setting):
        await setting.tasks.enqueue(Task(SWEEP, name="hourly"))
        assert len(await setting.calls()) == 1
        with pytest.raises(TaskExists):
            await setting.tasks.enqueue(Task(SWEEP, name="hourly"))

    async def test_of_two_tasks_of_one_name_at_once_exactly_one_is_kept(self, setting):
        twins = (setting.tasks.enqueue(Task(SWEEP, name="hourly")) for _ in range(2))
        results = await asyncio.gather(*twins, return_exceptions=True)
        assert sorted(type(result).__name__ for result in results) == ["TaskExists", "str"]
        assert len(await setting.calls()) == 1

    async def test_names_are_separate_per_function(self, setting):
        for function in (SWEEP, RELAY):
            await setting.tasks.enqueue(Task(function, name="hourly"))
        assert {call.url for call in await setting.calls()} == {setting.url_of(SWEEP), setting.url_of(RELAY)}

    async def test_a_task_waits_for_its_time_across_a_restart(self, setting):
        later = setting.clock.now() + timedelta(minutes=5)
        await setting.tasks.enqueue(Task(SWEEP, {"n": 1}, not_before=later))
        setting.clock.advance(minutes=4, seconds=59)
        await setting.reopen()
        assert await setting.calls() == []
        setting.clock.advance(seconds=1)
        await setting.reopen()
        assert len(await setting.calls()) == 1

    async def test_a_time_that_has_passed_means_now(self, setting):
        await setting.tasks.enqueue(Task(SWEEP, not_before=setting.clock.now() - timedelta(days=1)))
        assert len(await setting.calls()) == 1

    async def test_thirty_days_ahead_is_kept_and_more_is_refused(self, setting):
        edge = setting.clock.now() + timedelta(days=30)
        await setting.tasks.enqueue(Task(SWEEP, not_before=edge))
        with pytest.raises(TaskRefused, match="more than 30 days ahead: keep a due_at"):
            await setting.tasks.enqueue(Task(SWEEP, not_before=edge + timedelta(seconds=1)))

    @pytest.mark.parametrize(
        ("task", "finding"),
        [
            (Task("sweep-legder"), "function 'sweep-legder' has no queue: declare one"),
            (Task(SWEEP, name="a b"), "name 'a b' is malformed: use 1 to 500 letters"),
            (Task(SWEEP, name="a" * 501), "is malformed"),
            (Task(SWEEP, name=""), "is malformed"),
            (Task(SWEEP, {"text": "x" * 102_400}), r"body has 10\d+ bytes: allowed are 102400"),
            (Task(SWEEP, {"when": {1, 2}}), "body is not JSON: send strings"),
            (Task(SWEEP, not_before=datetime(2026, 3, 1)), "not_before has no time zone"),  # noqa: DTZ001
        ],
        ids=["function", "name", "long name", "empty name", "body", "json", "zone"],
    )
    async def test_a_task_beyond_a_limit_is_refused_with_field_and_remedy(self, setting, task, finding):
        with pytest.raises(TaskRefused, match=finding):
            await setting.tasks.enqueue(task)
        assert await setting.calls() == []
