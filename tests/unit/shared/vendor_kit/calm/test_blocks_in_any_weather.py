"""Whatever comes over the instances that share a limit, no minute holds more calls than it may."""

import asyncio
import contextlib
from datetime import timedelta
from random import Random

import pytest

from shared.vendor_kit.calm.urgency import Urgency
from shared.vendor_kit.rate import Throttled
from tests.unit.shared.vendor_kit.calm.instances import FarStore, among_instances
from tests.unit.shared.vendor_kit.calm.test_blocks import TTLOCK, Crowd, most_in_any

MANNERS = (Urgency.REVOKE, Urgency.DOOR, Urgency.ISSUE, Urgency.ISSUE, Urgency.POLL)
RUSHES, PAUSES = (1, 1, 2, 5, 15), (0, 0, 0.1, 1, 5, 20, 70)


class Weather:
    """Instances that call now and then, in rushes, die, and come again."""

    def __init__(self, instances, seed):
        self.crowd, self.chance, self.tasks = Crowd(instances, TTLOCK), Random(seed), []

    async def instance(self):
        rate = self.crowd.rate()
        while True:
            rush = self.chance.choice(RUSHES)
            await asyncio.gather(*(self.call(rate, self.chance.choice(MANNERS)) for _ in range(rush)))
            await asyncio.sleep(self.chance.choice(PAUSES))

    async def call(self, rate, urgency):
        with contextlib.suppress(Throttled):
            await rate.turn(urgency)
            self.crowd.moments.append(asyncio.get_running_loop().time())

    def hire(self, count):
        self.tasks += [asyncio.ensure_future(self.instance()) for _ in range(count)]

    async def blows(self, times):
        """Let one die and another come now and then, and sometimes all."""
        for _ in range(times):
            await asyncio.sleep(5)
            if self.chance.random() < 0.4:
                self.tasks.pop(self.chance.randrange(len(self.tasks))).cancel()
                self.hire(1)
            if self.chance.random() < 0.03:
                count = len(self.tasks)
                self.end()
                await asyncio.sleep(self.chance.choice((0, 5, 40, 90)))
                self.hire(count)

    def end(self):
        while self.tasks:
            self.tasks.pop().cancel()


@pytest.fixture
def sometimes_slow(monkeypatch):
    """Let the store take a whole second now and then."""
    way = FarStore.way

    async def slow(self, what):
        await asyncio.sleep(self._chance.uniform(0.1, 1.0) if self._chance.random() < 0.03 else 0)
        await way(self, what)

    monkeypatch.setattr(FarStore, "way", slow)


@pytest.mark.usefixtures("sometimes_slow")
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 12))])
def test_no_minute_holds_more_calls_than_the_limit(tmp_path, seed):
    async def scenario(instances):
        weather = Weather(instances, seed)
        weather.hire(weather.chance.choice((3, 10, 30)))
        await weather.blows(times=120 if seed else 60)
        weather.end()
        return weather.crowd.moments

    moments = among_instances(tmp_path, scenario, seed, timedelta(seconds=15))
    assert len(moments) > 100
    assert most_in_any(moments, 60) <= TTLOCK.calls
