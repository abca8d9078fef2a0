"""Task queue contract: what a call looks like, when it comes, and how many at a time."""

import asyncio
from datetime import timedelta

from shared.ports.tasks import Task
from shared.vendor_kit.http import ConnectionFailed
from tests.contract.tasks.setting import URL, TaskSetting, queue
from tests.support.delivery_rig import until


class Calling(TaskSetting):
    """What a call looks like, when it comes, and how many at a time."""

    def test_a_task_is_a_post_of_its_json_body_with_an_identity_token(self, tmp_path):
        async def scenario(world, tasks):
            await tasks.enqueue(Task("sweep-ledger", {"tenant": "tnt_1", "n": 1}, "first"))
            await tasks.idle()
            (received,) = world.receiver.received
            assert (received.call.method, received.call.url) == ("POST", URL)
            assert received.json == {"tenant": "tnt_1", "n": 1}
            assert received.headers["content-type"] == "application/json"
            assert received.headers["authorization"] == f"Bearer tasks@hotel->{URL}"

        self.play(tmp_path, scenario)

    def test_a_call_says_in_its_headers_which_task_and_which_attempt_it_is(self, tmp_path):
        async def scenario(world, tasks):
            answers = iter([500, 204])
            world.receiver.answer = lambda _: next(answers)
            later = world.clock.now() + timedelta(seconds=1.5)
            await tasks.enqueue(Task("sweep-ledger", name="first", not_before=later))
            await until(lambda: len(world.receiver.received) == 2)
            first, second = (
                {name: value for name, value in each.headers.items() if name.startswith("X-Cloud")}
                for each in world.receiver.received
            )
            eta = f"{later.timestamp():.6f}"
            assert first == {
                "X-CloudTasks-QueueName": "sweep-ledger",
                "X-CloudTasks-TaskName": "first",
                "X-CloudTasks-TaskRetryCount": "0",
                "X-CloudTasks-TaskExecutionCount": "0",
                "X-CloudTasks-TaskETA": eta,
            }
            assert second == {
                **first,
                "X-CloudTasks-TaskRetryCount": "1",
                "X-CloudTasks-TaskExecutionCount": "1",
                "X-CloudTasks-TaskPreviousResponse": "500",
            }

        self.play(tmp_path, scenario)

    def test_a_task_is_not_called_before_its_time_and_then_at_once(self, tmp_path):
        async def scenario(world, tasks):
            start = world.clock.now()
            for seconds in (300, 100, 200):
                later = start + timedelta(seconds=seconds)
                await tasks.enqueue(Task("sweep-ledger", {"n": seconds}, not_before=later))
            await asyncio.sleep(400)
            assert [(each.json["n"], round(each.at, 3)) for each in world.receiver.received] == [
                (100, 100.0),
                (200, 200.0),
                (300, 300.0),
            ]

        self.play(tmp_path, scenario)

    def test_a_time_that_has_passed_means_now(self, tmp_path):
        async def scenario(world, tasks):
            now = world.clock.now()
            await tasks.enqueue(Task("sweep-ledger", not_before=now - timedelta(days=1)))
            await tasks.idle()
            assert world.receiver.received[0].headers["X-CloudTasks-TaskETA"] == f"{now.timestamp():.6f}"

        self.play(tmp_path, scenario)

    def test_an_attempt_without_an_answer_is_a_retry_but_no_execution(self, tmp_path):
        async def scenario(world, tasks):
            answers = iter([ConnectionFailed(), 204])
            world.receiver.answer = lambda _: next(answers)
            await tasks.enqueue(Task("sweep-ledger"))
            await until(lambda: len(world.receiver.received) == 2)
            headers = world.receiver.received[1].headers
            assert headers["X-CloudTasks-TaskRetryCount"] == "1"
            assert headers["X-CloudTasks-TaskExecutionCount"] == "0"
            assert "X-CloudTasks-TaskPreviousResponse" not in headers

        self.play(tmp_path, scenario)

    def test_a_mistake_of_our_own_costs_no_task(self, tmp_path):
        async def scenario(world, tasks):
            told = world.err_once("WHERE id = ?")
            await tasks.enqueue(Task("sweep-ledger"))
            await until(lambda: world.receiver.received)
            assert told == ["disk I/O error"]

        self.play(tmp_path, scenario)

    def test_a_task_that_is_done_while_there_is_no_room_frees_its_name_in_time(self, tmp_path):
        async def scenario(world, tasks):
            world.receiver.takes = 0.1
            await tasks.enqueue(Task("sweep-ledger", name="hourly"))
            with world.no_room():
                await asyncio.sleep(5)
            await asyncio.sleep(3600)
            await tasks.enqueue(Task("sweep-ledger", name="hourly"))
            await tasks.idle()
            assert len(world.receiver.received) == 2

        self.play(tmp_path, scenario)

    def test_a_queue_keeps_to_its_rate(self, tmp_path):
        async def scenario(world, tasks):
            for number in range(60):
                await tasks.enqueue(Task("sweep-ledger", {"n": number}))
            await asyncio.sleep(60)
            at = [each.at for each in world.receiver.received]
            assert len(at) == 60
            for start in at:
                assert len([each for each in at if start <= each < start + 1.0]) <= 10 + 2
            assert 5.0 <= at[-1] - at[0] <= 6.0

        self.play(tmp_path, scenario, queue(max_per_second=10))

    def test_no_more_than_max_concurrent_are_under_way(self, tmp_path):
        async def scenario(world, tasks):
            world.receiver.takes = 1.0
            for number in range(12):
                await tasks.enqueue(Task("sweep-ledger", {"n": number}))
            await tasks.idle()
            assert world.receiver.busiest == 3
            assert len(world.receiver.received) == 12

        self.play(tmp_path, scenario, queue(max_concurrent=3))

    def test_one_queue_does_not_hold_up_another(self, tmp_path):
        async def scenario(world, tasks):
            world.receiver.answer = lambda each: (
                503 if "sweep" in each.headers["X-CloudTasks-QueueName"] else 204
            )
            await tasks.enqueue(Task("sweep-ledger"))
            await tasks.enqueue(Task("relay-outbox"))
            await tasks.idle()
            await world.flush()
            assert [each.function for each in tasks.page()] == ["sweep-ledger"]

        self.play(tmp_path, scenario, queue(), queue(name="relay-outbox"))

    def test_tasks_survive_a_crash(self, tmp_path):
        async def scenario(world, tasks):
            later = world.clock.now() + timedelta(minutes=5)
            await tasks.enqueue(Task("sweep-ledger", {"n": 1}, not_before=later))
            await tasks.enqueue(Task("sweep-ledger", {"n": 2}, not_before=later))
            again = await self.reborn(world, tasks, clean=False)
            await asyncio.sleep(301)
            assert [each.json["n"] for each in world.receiver.received] == [1, 2]
            assert {each.at for each in world.receiver.received} == {300.0}
            await again.stop()

        self.play(tmp_path, scenario)

    def test_a_call_under_way_at_stop_is_made_again_and_not_counted(self, tmp_path):
        async def scenario(world, tasks):
            world.receiver.takes = 5.0
            await tasks.enqueue(Task("sweep-ledger"))
            await asyncio.sleep(1)
            again = await self.reborn(world, tasks)
            await until(lambda: len(world.receiver.received) == 2)
            assert world.receiver.received[1].headers["X-CloudTasks-TaskRetryCount"] == "0"
            await again.stop()

        self.play(tmp_path, scenario)

    def test_a_deleted_task_is_not_called(self, tmp_path):
        async def scenario(world, tasks):
            later = world.clock.now() + timedelta(seconds=10)
            await tasks.enqueue(Task("sweep-ledger", name="first", not_before=later))
            assert await tasks.delete("sweep-ledger", "first")
            assert not await tasks.delete("sweep-ledger", "first")
            await asyncio.sleep(20)
            assert world.receiver.received == []

        self.play(tmp_path, scenario)

    def test_a_caller_who_stops_waiting_does_not_stop_the_task(self, tmp_path):
        async def scenario(world, tasks):
            enqueueing = asyncio.ensure_future(tasks.enqueue(Task("sweep-ledger")))
            await asyncio.sleep(0)
            enqueueing.cancel()
            await asyncio.gather(enqueueing, return_exceptions=True)
            await tasks.idle()
            assert len(world.receiver.received) == 1

        self.play(tmp_path, scenario)

    def test_the_same_seed_gives_the_same_trace(self, tmp_path):
        def trace(seed, folder):
            seen = []

            async def scenario(world, tasks):
                world.receiver.answer = lambda _: 500 if world.entropy.uniform(0, 1) < 0.4 else 204
                await asyncio.gather(*(tasks.enqueue(Task("sweep-ledger", {"n": n})) for n in range(12)))
                await asyncio.sleep(120)
                seen.extend((each.at, each.json["n"]) for each in world.receiver.received)

            folder.mkdir()
            self.play(folder, scenario, seed=seed)
            return seen

        assert trace(7, tmp_path / "first") == trace(7, tmp_path / "second") != trace(8, tmp_path / "third")
