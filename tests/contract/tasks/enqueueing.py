"""Task queue contract: what may be enqueued, and for how long a name is taken."""

import asyncio
from datetime import datetime, timedelta

import pytest

from shared.ports.tasks import Task, TaskExists, TaskRefused
from tests.contract.tasks.setting import TaskSetting, queue


class Enqueueing(TaskSetting):
    """What may be enqueued, and for how long a name is taken."""

    def test_a_name_is_taken_while_its_task_waits(self, tmp_path):
        async def scenario(world, tasks):
            later = world.clock.now() + timedelta(days=2)
            await tasks.enqueue(Task("sweep-ledger", name="hourly", not_before=later))
            await asyncio.sleep(86_400)
            with pytest.raises(TaskExists, match=r"'hourly' of sweep-ledger is queued, or was"):
                await tasks.enqueue(Task("sweep-ledger", name="hourly"))
            assert world.receiver.received == []

        self.play(tmp_path, scenario)

    def test_a_name_is_taken_for_an_hour_after_its_task_is_done_and_free_again_then(self, tmp_path):
        async def scenario(world, tasks):
            await tasks.enqueue(Task("sweep-ledger", name="hourly"))
            await tasks.idle()
            await asyncio.sleep(3599)
            await self.expect_taken(tasks)
            await asyncio.sleep(1.1)
            await tasks.enqueue(Task("sweep-ledger", name="hourly"))
            await tasks.idle()
            assert len(world.receiver.received) == 2

        self.play(tmp_path, scenario)

    def test_a_name_is_taken_for_an_hour_after_its_task_is_deleted(self, tmp_path):
        async def scenario(world, tasks):
            later = world.clock.now() + timedelta(days=1)
            await tasks.enqueue(Task("sweep-ledger", name="hourly", not_before=later))
            assert await tasks.delete("sweep-ledger", "hourly")
            await asyncio.sleep(3599)
            await self.expect_taken(tasks)
            await asyncio.sleep(1.1)
            await tasks.enqueue(Task("sweep-ledger", name="hourly", not_before=later))

        self.play(tmp_path, scenario)

    def test_a_name_stays_taken_across_a_restart(self, tmp_path):
        async def scenario(world, tasks):
            await tasks.enqueue(Task("sweep-ledger", name="hourly"))
            await tasks.idle()
            again = await self.reborn(world, tasks)
            await self.expect_taken(again)
            await again.stop()

        self.play(tmp_path, scenario)

    def test_of_two_tasks_of_one_name_at_once_exactly_one_is_kept(self, tmp_path):
        async def scenario(world, tasks):
            twins = (tasks.enqueue(Task("sweep-ledger", name="hourly")) for _ in range(2))
            results = await asyncio.gather(*twins, return_exceptions=True)
            assert sorted(type(result).__name__ for result in results) == ["TaskExists", "str"]
            await tasks.idle()
            assert len(world.receiver.received) == 1

        self.play(tmp_path, scenario)

    def test_names_are_separate_per_queue_and_unnamed_tasks_get_their_own(self, tmp_path):
        async def scenario(world, tasks):
            await tasks.enqueue(Task("sweep-ledger", name="hourly"))
            await tasks.enqueue(Task("relay-outbox", name="hourly"))
            names = [await tasks.enqueue(Task("sweep-ledger")) for _ in range(3)]
            await tasks.idle()
            assert len({*names, "hourly"}) == 4
            assert len(world.receiver.received) == 5

        self.play(tmp_path, scenario, queue(), queue(name="relay-outbox"))

    def test_thirty_days_ahead_is_kept_and_more_is_refused(self, tmp_path):
        async def scenario(world, tasks):
            edge = world.clock.now() + timedelta(days=30)
            await tasks.enqueue(Task("sweep-ledger", not_before=edge))
            with pytest.raises(TaskRefused, match="more than 30 days ahead: keep a due_at"):
                await tasks.enqueue(Task("sweep-ledger", not_before=edge + timedelta(seconds=1)))
            assert len(tasks.page()) == 1
            await asyncio.sleep(30 * 86_400 + 1)
            assert [each.at for each in world.receiver.received] == [30 * 86_400]

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize(
        ("task", "finding"),
        [
            (Task("sweep-legder"), "function 'sweep-legder' has no queue: declare one"),
            (Task("sweep-ledger", name="a b"), "name 'a b' is malformed: use 1 to 500 letters"),
            (Task("sweep-ledger", name="a" * 501), "is malformed"),
            (Task("sweep-ledger", name=""), "is malformed"),
            (
                Task("sweep-ledger", {"text": "x" * 102_400}),
                r"body has 10\d+ bytes: allowed are 102400",
            ),
            (Task("sweep-ledger", {"when": {1, 2}}), "body is not JSON: send strings"),
            (Task("sweep-ledger", not_before=datetime(2026, 3, 1)), "not_before has no time zone"),  # noqa: DTZ001
        ],
        ids=["function", "name", "long name", "empty name", "body", "json", "zone"],
    )
    def test_a_task_beyond_a_limit_is_refused_with_field_and_remedy(self, tmp_path, task, finding):
        async def scenario(_, tasks):
            with pytest.raises(TaskRefused, match=finding):
                await tasks.enqueue(task)
            assert tasks.page() == ()

        self.play(tmp_path, scenario)

    async def expect_taken(self, tasks):
        taken = False
        try:
            await tasks.enqueue(Task("sweep-ledger", name="hourly"))
        except TaskExists:
            taken = True
        assert taken, "the name was free"
