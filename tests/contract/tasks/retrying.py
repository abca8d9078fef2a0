"""Task queue contract: when a call is made again, and when no more."""

import asyncio
import itertools

import pytest

from infra.local.delivery.backoff import Retry
from shared.ports.tasks import Task
from shared.vendor_kit.http import Answer, ConnectionBroken, ConnectionFailed, TimedOut
from tests.contract.tasks.setting import TaskSetting, queue
from tests.support.delivery_rig import until


class Retrying(TaskSetting):
    """When a call is made again, and when no more."""

    @pytest.mark.parametrize("status", [200, 201, 204, 299])
    def test_any_2xx_ends_a_task(self, tmp_path, status):
        async def scenario(world, tasks):
            world.receiver.answer = lambda _: status
            await tasks.enqueue(Task("sweep-ledger"))
            await asyncio.sleep(60)
            await world.flush()
            assert len(world.receiver.received) == 1
            assert tasks.page() == ()

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize(
        "answer",
        [*(102, 302, 400, 404, 500, 503), *(ConnectionFailed(), ConnectionBroken(), TimedOut())],
        ids=str,
    )
    def test_every_other_answer_and_no_answer_is_called_again(self, tmp_path, answer):
        async def scenario(world, tasks):
            answers = iter([answer, 204])
            world.receiver.answer = lambda _: next(answers)
            await tasks.enqueue(Task("sweep-ledger"))
            await until(lambda: len(world.receiver.received) == 2)
            await tasks.idle()

        self.play(tmp_path, scenario)

    def test_an_answer_after_the_dispatch_deadline_is_none(self, tmp_path):
        async def scenario(world, tasks):
            world.receiver.takes = 16.0
            await tasks.enqueue(Task("sweep-ledger"))
            await until(lambda: len(world.receiver.received) == 2)
            assert world.receiver.received[1].at == pytest.approx(15.0 + 1.0, abs=0.1)

        self.play(tmp_path, scenario, queue(dispatch_deadline=15))

    def test_waits_double_then_grow_evenly_then_stay_as_cloud_tasks_documents(self, tmp_path):
        async def scenario(world, tasks):
            world.receiver.answer = lambda _: 500
            await tasks.enqueue(Task("sweep-ledger"))
            await until(lambda: len(world.receiver.received) == 10, within=3000)
            at = [each.at for each in world.receiver.received]
            waits = [round(later - sooner) for sooner, later in itertools.pairwise(at)]
            assert waits == [10, 20, 40, 80, 160, 240, 300, 300, 300]

        retry = Retry(min_backoff=10, max_backoff=300, max_doublings=3)
        self.play(tmp_path, scenario, queue(retry=retry))

    def test_a_spent_task_is_kept_as_failed_and_can_be_deleted(self, tmp_path):
        async def scenario(world, tasks):
            world.receiver.answer = lambda _: 500
            await tasks.enqueue(Task("sweep-ledger", name="doomed"))
            await asyncio.sleep(600)
            assert len(world.receiver.received) == 3
            failed = tasks.page(failed=True)
            told = [(each.name, each.reason, each.last_status, each.attempts) for each in failed]
            assert told == [("doomed", "answered 500", 500, 3)]
            assert tasks.page(failed=False) == ()
            again = await self.reborn(world, tasks)
            assert again.page() == failed
            assert await again.delete("sweep-ledger", "doomed")
            assert again.page() == ()
            await again.stop()

        self.play(tmp_path, scenario, queue(retry=Retry(max_attempts=3, min_backoff=1)))

    def test_with_both_limits_a_task_is_spent_only_when_both_are(self, tmp_path):
        async def scenario(world, tasks):
            world.receiver.answer = lambda _: 500
            await tasks.enqueue(Task("sweep-ledger"))
            await asyncio.sleep(600)
            assert 50.0 <= world.receiver.received[-1].at <= 60.0
            assert [each.attempts > 2 for each in tasks.page(failed=True)] == [True]

        retry = Retry(max_attempts=2, max_duration=60, min_backoff=1, max_backoff=8)
        self.play(tmp_path, scenario, queue(retry=retry))

    def test_attempts_are_counted_across_crashes_so_a_killing_task_ends_too(self, tmp_path):
        spec = queue(retry=Retry(max_attempts=3, min_backoff=1))

        async def scenario(world, tasks):
            world.receiver.takes = 5.0
            await tasks.enqueue(Task("sweep-ledger"))
            for _ in range(5):
                await asyncio.sleep(0.02)
                tasks = await self.killed(world, tasks, spec)
            await tasks.idle()
            reasons = [each.reason for each in tasks.page(failed=True)]
            assert reasons == ["the process ended during the last attempt"]
            await tasks.stop()

        self.play(tmp_path, scenario, spec)

    async def killed(self, world, tasks, spec):
        """End as kill -9 does: no clean-up is seen by the disk."""
        lazily, world.engine.write_soon = world.engine.write_soon, lambda _: None
        await tasks.stop()
        world.engine.write_soon = lazily
        world.crash()
        world.open()
        fresh = self.make(world.means, (spec,))
        fresh.start()
        return fresh

    @pytest.mark.parametrize("status", [429, 503])
    def test_a_function_with_too_much_to_do_slows_its_whole_queue(self, tmp_path, status):
        async def scenario(world, tasks):
            answers = iter([Answer(status, {"Retry-After": "7"})])
            world.receiver.answer = lambda _: next(answers, 204)
            await tasks.enqueue(Task("sweep-ledger", {"n": 1}))
            await tasks.idle()
            await tasks.enqueue(Task("sweep-ledger", {"n": 2}))
            await asyncio.sleep(20)
            assert [round(each.at) for each in world.receiver.received] == [0, 7, 7]

        self.play(tmp_path, scenario)
