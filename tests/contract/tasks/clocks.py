"""Task queue contract: what a clock that is set ahead or back may do, and what not."""

import asyncio
from datetime import timedelta

import pytest

from infra.local.delivery.backoff import Retry
from shared.ports.tasks import Task
from tests.contract.tasks.setting import TaskSetting, queue
from tests.support.delivery_rig import until

HOUR = 3600


class Clocks(TaskSetting):
    """What a clock that is set ahead or back may do, and what not."""

    def test_a_task_from_a_clock_that_was_ahead_is_called_at_once_after_a_restart(self, tmp_path):
        async def scenario(world, tasks):
            world.set_clock(days=30)
            await tasks.stop()
            await tasks.enqueue(Task("sweep-ledger", {"n": 1}))
            world.set_clock(days=-30)
            again = await self.reborn(world, tasks)
            await until(lambda: world.receiver.received, within=1)
            await again.stop()

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize("restart", [True, False])
    def test_a_retry_from_a_clock_that_was_ahead_waits_no_longer_than_any_other(self, tmp_path, restart):
        async def scenario(world, tasks):
            world.set_clock(days=30)
            world.receiver.answer = lambda _: 503
            await tasks.enqueue(Task("sweep-ledger"))
            await tasks.idle()
            world.set_clock(days=-30)
            world.receiver.answer = lambda _: 204
            last = await self.reborn(world, tasks) if restart else tasks
            await until(lambda: len(world.receiver.received) == 2, within=8.1)
            await last.stop()

        self.play(tmp_path, scenario)

    def test_a_delay_counted_from_a_clock_that_was_ahead_is_kept_to_within_the_hour(self, tmp_path):
        async def scenario(world, tasks):
            world.set_clock(days=30)
            for minutes in (20, 10):
                later = world.clock.now() + timedelta(minutes=minutes)
                await tasks.enqueue(Task("sweep-ledger", {"n": minutes}, not_before=later))
            world.set_clock(days=-30)
            await asyncio.sleep(599)
            assert world.receiver.received == []
            await asyncio.sleep(HOUR)
            assert [each.json["n"] for each in world.receiver.received] == [10, 20]

        self.play(tmp_path, scenario)

    def test_a_clock_set_ahead_makes_due_what_it_passed_within_the_hour_and_once(self, tmp_path):
        async def scenario(world, tasks):
            later = world.clock.now() + timedelta(days=10)
            await tasks.enqueue(Task("sweep-ledger", not_before=later))
            await asyncio.sleep(1)
            world.set_clock(days=11)
            await asyncio.sleep(2 * HOUR)
            world.set_clock(days=-11)
            await asyncio.sleep(2 * HOUR)
            assert len(world.receiver.received) == 1

        self.play(tmp_path, scenario)

    def test_a_clock_set_back_leaves_alone_what_was_asked_for_before_it_was_wrong(self, tmp_path):
        async def scenario(world, tasks):
            later = world.clock.now() + timedelta(days=20)
            await tasks.enqueue(Task("sweep-ledger", not_before=later))
            world.set_clock(days=10)
            await asyncio.sleep(HOUR)
            world.set_clock(days=-10)
            await asyncio.sleep(20 * 24 * HOUR - HOUR - 1)
            assert world.receiver.received == []
            await until(lambda: world.receiver.received, within=HOUR)

        self.play(tmp_path, scenario)

    def test_a_clock_that_is_only_kept_right_calls_nothing_too_early(self, tmp_path):
        async def scenario(world, tasks):
            later = world.clock.now() + timedelta(minutes=10)
            await tasks.enqueue(Task("sweep-ledger", not_before=later))
            world.set_clock(seconds=-30)
            await asyncio.sleep(700)
            assert world.receiver.received[0].at >= 630.0

        self.play(tmp_path, scenario)

    def test_a_name_taken_by_a_clock_that_was_ahead_is_free_again(self, tmp_path):
        async def scenario(world, tasks):
            world.set_clock(days=30)
            await tasks.enqueue(Task("sweep-ledger", name="hourly"))
            await tasks.idle()
            world.set_clock(days=-30)
            await asyncio.sleep(HOUR)
            await tasks.enqueue(Task("sweep-ledger", name="hourly"))
            await tasks.idle()
            assert len(world.receiver.received) == 2

        self.play(tmp_path, scenario)

    def test_a_limit_on_time_is_not_stretched_by_a_clock_that_was_ahead(self, tmp_path):
        async def scenario(world, tasks):
            world.receiver.answer = lambda _: 500
            world.set_clock(days=30)
            await tasks.enqueue(Task("sweep-ledger"))
            await tasks.idle()
            world.set_clock(days=-30)
            await asyncio.sleep(200)
            assert [each.attempts > 2 for each in tasks.page(failed=True)] == [True]

        retry = Retry(max_attempts=2, max_duration=60, min_backoff=1, max_backoff=8)
        self.play(tmp_path, scenario, queue(retry=retry))
