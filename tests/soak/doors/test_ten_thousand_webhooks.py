"""Ten thousand webhooks, doubled, late and out of order, with restarts and outages: each attempt once."""

import asyncio
from collections import Counter
from random import Random
from urllib.parse import parse_qs

import orjson
import pytest

from infra.local.simulation.loop import run_virtually
from shared.ports.trouble import ServiceTrouble
from tests.support.heard_hotel import PATH, HeardHotel
from tests.support.sample_hotel import DOORS
from tests.support.simulated import simulated_fleet
from tests.workflows.doors.test_doors_heard import guest_in_101

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]
ATTEMPTS, WEBHOOKS, LIVES = 1500, 10_000, 3
FORM = {"content-type": "application/x-www-form-urlencoded"}


class Recording(HeardHotel):
    """The vendor keeps its callbacks to itself: this test sends them, as often and as late as it likes."""

    def __init__(self, clock, seed):
        super().__init__(clock, seed)
        self.bodies, self.acknowledged = [], set()

    async def call_back(self, _url, _headers, body):
        self.bodies.append(body)
        return 200, b"success"

    async def send_some(self, chance, count):
        """Send so many webhooks, of which the vendor remembers those that were acknowledged."""
        for _ in range(count):
            body = chance.choice(self.bodies)
            status, _ = await self.on.send(PATH, body, headers=FORM)
            assert status in (200, 500, 503), status
            if status == 200:
                self.acknowledged.add(body)
            if chance.random() < 0.02:
                await asyncio.sleep(chance.uniform(0, 20))


def trouble(fleet, chance):
    """Let the queue and the bus fail now and then."""
    enqueue, publish = fleet.tasks.enqueue, fleet.bus.publish

    async def enqueued(task):
        if chance.random() < 0.2:
            raise ServiceTrouble
        return await enqueue(task)

    async def published(topic, messages):
        if chance.random() < 0.02:
            raise ServiceTrouble
        return await publish(topic, messages)

    fleet.tasks.enqueue, fleet.bus.publish = enqueued, published
    return lambda: (setattr(fleet.tasks, "enqueue", enqueue), setattr(fleet.bus, "publish", publish))


async def live(house, chance, told):
    """Try doors and send webhooks, in all sorts of trouble."""
    listen(house, told)
    heal = trouble(house.fleet, chance)
    await house.fault("http_500", "lockRecord/list", pct=20)
    for number in range(ATTEMPTS // LIVES):
        door = chance.choice(["101", "101", "102", "front"])
        await house.try_door(door, pin=house.pin if chance.random() < 0.6 else f"{number:08}")
        await asyncio.sleep(chance.uniform(0.01, 3))
    await house.send_some(chance, WEBHOOKS // LIVES)
    heal()


def test_each_attempt_is_told_once_and_none_that_was_acknowledged_is_lost(tmp_path):
    chance = Random(10_000)

    async def main(clock):
        house = Recording(clock, 1)
        told = Counter()
        for life in range(LIVES):
            async with simulated_fleet(tmp_path, clock, life, outside=house) as on:
                house.on = on
                if life == 0:
                    await house.listen()
                    _, house.pin = await guest_in_101(house)
                await live(house, chance, told)
                if life < LIVES - 1:
                    continue  # stopped in the midst of it
                await house.mend()
                await asyncio.sleep(3 * 3600)
                await house.settled()
                await assert_all_kept(house, told)

    run_virtually(main, 1)


def listen(house, told):
    """Note every attempt that is published, by its event's id."""
    publish = house.fleet.bus.publish

    async def listening(topic, messages):
        answer = await publish(topic, messages)
        if topic.endswith("audit.attempt.v1"):
            told.update(
                (event["id"], event["data"]["attemptId"])
                for event in (orjson.loads(m.data) for m in messages)
            )
        return answer

    house.fleet.bus.publish = listening


async def assert_all_kept(house, told):
    """Check that what the vendor was told was heard is kept, once, and told under one id each."""
    kept = await house.documents("attempts")
    records = {(int(DOORS[d]), r.record_id) for d in DOORS for r in house.sim.cloud.records.of(int(DOORS[d]))}
    by_lock = Counter(each["event"] for each in kept.values())
    assert set(by_lock.values()) == {1}
    heard = {event for body in house.acknowledged for event in events_in(house, body)}
    assert heard <= {int(each["event"]) for each in kept.values()}
    assert {int(each["event"]) for each in kept.values()} <= {number for _, number in records}
    assert {attempt for _, attempt in told} == set(kept)
    assert len({event for event, _ in told}) == len(kept)
    hooks = (await house.documents("webhooks")).values()
    assert not [each for each in hooks if "waiting" in each or "due_at" in each]
    assert not [each for each in kept.values() if "due_at" in each]
    assert len(hooks) <= len(house.bodies)
    assert {each["opened"] for each in kept.values()} == {True, False}


def events_in(house, body):
    """Return the vendor's numbers of the records that a callback told of."""
    rows = orjson.loads(parse_qs(body.decode())["records"][0])
    of = house.sim.cloud.records.of
    return {
        record.record_id
        for row in rows
        for record in of(int(row["lockId"]))
        if record.lock_ms == row["lockDate"]
    }
