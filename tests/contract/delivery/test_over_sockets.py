"""Bus, task queue and schedules, each end to end over a real socket, with the real clock and disk."""

import asyncio
import json
from datetime import datetime

from aiohttp import web

from infra.local.ambient import SystemClock
from infra.local.bus import Bus, SubscriptionSpec, TopicSpec
from infra.local.schedules import Schedules, ScheduleSpec
from infra.local.tasks import QueueSpec, Tasks
from shared.ports.bus import Message
from shared.ports.tasks import Task
from tests.contract.delivery.machine import machine
from tests.contract.delivery.sockets import listening


class Desk:
    """A receiver that fails the first time and remembers everything."""

    def __init__(self, statuses=()):
        self.statuses, self.bodies, self.headers = iter(statuses), [], []
        self.received = asyncio.Condition()

    async def receive(self, request):
        self.bodies.append(json.loads(await request.read()))
        self.headers.append(request.headers)
        async with self.received:
            self.received.notify_all()
        return web.Response(status=next(self.statuses, 204))

    async def has(self, count):
        async with asyncio.timeout(10), self.received:
            await self.received.wait_for(lambda: len(self.bodies) >= count)


def target(url):
    return {"audience": url, "caller": "fleet@hotel"}


def on_booking(url, **changes):
    return SubscriptionSpec(name="on-booking", topic="bookings", push_url=url, **target(url), **changes)


async def test_published_messages_are_pushed_in_order_over_http_through_a_failure(tmp_path):
    desk = Desk([204, 500])
    async with listening(desk.receive) as url, machine(tmp_path) as means:
        spec = SubscriptionSpec(
            name="on-booking",
            topic="bookings",
            push_url=url + "/on",
            ordered=True,
            min_backoff=0.01,
            **target(url),
        )
        bus = Bus(means, [TopicSpec("bookings")], [spec])
        bus.start()
        await bus.publish("bookings", [Message(f"{n}".encode(), ordering_key="A") for n in range(5)])
        await desk.has(6)
        await bus.idle()
        await bus.stop()
    ids = [int(body["message"]["messageId"]) for body in desk.bodies]
    assert ids == sorted(ids)
    assert len(set(ids)) == 5
    assert desk.headers[0]["Authorization"] == f"Bearer fleet@hotel->{url}"


async def test_a_receiver_that_does_not_listen_yet_gets_the_message_later(tmp_path):
    desk = Desk()
    async with listening(desk.receive) as gone:
        pass
    port = int(gone.rpartition(":")[2])
    async with machine(tmp_path) as means:
        spec = SubscriptionSpec(
            name="on-booking",
            topic="bookings",
            push_url=gone,
            min_backoff=0.05,
            max_backoff=0.1,
            **target(gone),
        )
        bus = Bus(means, [TopicSpec("bookings")], [spec])
        bus.start()
        await bus.publish("bookings", [Message(b"patience")])
        await bus.idle()
        assert desk.bodies == []
        runner = web.AppRunner(_application(desk), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await desk.has(1)
        await bus.idle()
        await bus.stop()
        await runner.cleanup()


def _application(desk):
    app = web.Application()
    app.router.add_post("/", desk.receive)
    return app


async def test_tasks_are_called_over_http(tmp_path):
    desk = Desk()
    async with listening(desk.receive) as url, machine(tmp_path) as means:
        tasks = Tasks(means, [QueueSpec(name="sweep-ledger", url=url, **target(url))])
        tasks.start()
        await tasks.enqueue(Task("sweep-ledger", {"tenant": "tnt_1"}, "first"))
        await desk.has(1)
        await tasks.idle()
        await tasks.stop()
    assert desk.bodies == [{"tenant": "tnt_1"}]
    assert desk.headers[0]["X-CloudTasks-TaskName"] == "first"


async def test_schedules_are_called_over_http(tmp_path):
    desk = Desk()
    async with listening(desk.receive) as url, machine(tmp_path) as means:
        schedules = Schedules(means, [ScheduleSpec(name="sweep", cron="0 0 1 1 *", url=url, **target(url))])
        schedules.start()
        before = SystemClock().now().replace(microsecond=0)
        assert (await schedules.run_now("sweep")).ok
        await schedules.stop()
    assert datetime.fromisoformat(desk.headers[0]["X-CloudScheduler-ScheduleTime"]) >= before
