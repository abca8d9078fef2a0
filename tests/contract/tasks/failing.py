"""Task queue contract: what becomes of tasks that failed for good."""

import asyncio
from datetime import timedelta

import pytest

from infra.local.delivery.backoff import Retry
from infra.local.tasks import tasks as module
from shared.ports.tasks import Task, TaskExists, TaskRefused
from tests.contract.tasks.setting import TaskSetting, queue
from tests.support.delivery_rig import until

TWICE = queue(retry=Retry(max_attempts=2, min_backoff=1))
DAYS = 24 * 3600


class Failing(TaskSetting):
    """What becomes of tasks that failed for good."""

    def test_failed_and_waiting_tasks_are_counted_apart(self, tmp_path):
        async def scenario(world, tasks):
            await self.fail(world, tasks, "doomed", "damned")
            later = world.clock.now() + timedelta(days=1)
            await tasks.enqueue(Task("sweep-ledger", not_before=later))
            await tasks.enqueue(Task("relay-outbox", not_before=later))
            assert (tasks.count(), tasks.count(failed=True), tasks.count(failed=False)) == (4, 2, 2)
            assert tasks.count(function="sweep-ledger") == 3
            assert tasks.count(function="relay-outbox", failed=True) == 0

        self.play(tmp_path, scenario, TWICE, queue(name="relay-outbox"))

    @pytest.mark.parametrize("restart", [None, "before", "after"])
    def test_a_failed_task_is_retried_as_if_it_were_new(self, tmp_path, restart):
        async def scenario(world, tasks):
            await self.fail(world, tasks, "doomed")
            if restart == "before":
                tasks = await self.reborn(world, tasks, TWICE)
            if restart == "after":
                await tasks.stop()
            assert await tasks.retry("sweep-ledger", "doomed")
            if restart == "after":
                tasks = await self.reborn(world, tasks, TWICE)
            await until(lambda: world.receiver.received)
            headers = world.receiver.received[0].headers
            assert headers["X-CloudTasks-TaskRetryCount"] == headers["X-CloudTasks-TaskExecutionCount"] == "0"
            assert "X-CloudTasks-TaskPreviousResponse" not in headers
            await asyncio.sleep(60)
            assert (len(world.receiver.received), tasks.count()) == (1, 0)
            await tasks.stop()

        self.play(tmp_path, scenario, TWICE)

    def test_a_retried_task_that_fails_again_is_kept_as_failed_again(self, tmp_path):
        async def scenario(world, tasks):
            await self.fail(world, tasks, "doomed")
            world.receiver.answer = lambda _: 400
            assert await tasks.retry("sweep-ledger", "doomed")
            await asyncio.sleep(60)
            (failed,) = tasks.page(failed=True)
            assert (failed.attempts, failed.reason) == (2, "answered 400")

        self.play(tmp_path, scenario, TWICE)

    def test_only_what_failed_can_be_retried_and_once_at_a_time(self, tmp_path):
        async def scenario(world, tasks):
            await self.fail(world, tasks, "doomed")
            world.receiver.takes = 5.0
            assert await tasks.retry("sweep-ledger", "doomed")
            with pytest.raises(TaskExists, match="'doomed' of sweep-ledger is queued again already: wait"):
                await tasks.retry("sweep-ledger", "doomed")
            assert not await tasks.retry("sweep-ledger", "unheard-of")
            with pytest.raises(TaskRefused, match="'sweep-legder' has no queue"):
                await tasks.retry("sweep-legder", "doomed")

        self.play(tmp_path, scenario, TWICE)

    def test_a_retry_in_the_very_moment_of_failing_is_not_missed(self, tmp_path):
        async def scenario(world, tasks):
            world.receiver.answer = lambda _: 500
            await tasks.enqueue(Task("sweep-ledger", name="doomed"))
            while not await self.retried(tasks, "doomed"):
                pass
            await asyncio.sleep(60)
            assert len(world.receiver.received) == 2
            assert [each.attempts for each in tasks.page(failed=True)] == [1]

        self.play(tmp_path, scenario, queue(retry=Retry(max_attempts=1)))

    def test_what_failed_long_ago_is_purged_and_nothing_else(self, tmp_path, monkeypatch):
        monkeypatch.setattr(module, "PURGED_AT_ONCE", 2)

        async def scenario(world, tasks):
            await self.fail(world, tasks, *(f"old-{number}" for number in range(5)))
            waiting = world.clock.now() + timedelta(days=29)
            await tasks.enqueue(Task("sweep-ledger", name="waiting", not_before=waiting))
            await asyncio.sleep(10 * DAYS)
            await self.fail(world, tasks, "young")
            assert await tasks.purge(world.clock.now() - timedelta(days=11)) == 0
            assert await tasks.purge(world.clock.now() - timedelta(days=9)) == 5
            assert [each.name for each in tasks.page()] == ["waiting", "young"]

        self.play(tmp_path, scenario, TWICE)

    async def retried(self, tasks, name):
        """Ask for a retry, and say whether it was granted."""
        try:
            return await tasks.retry("sweep-ledger", name)
        except TaskExists:
            return False

    async def fail(self, world, tasks, *names):
        """Let tasks fail for good, and receive afresh."""
        world.receiver.answer = lambda _: 500
        for name in names:
            await tasks.enqueue(Task("sweep-ledger", name=name))
        before = tasks.count(failed=True)
        await until(lambda: tasks.count(failed=True) == before + len(names))
        world.receiver.answer = lambda _: 204
        world.receiver.received.clear()
