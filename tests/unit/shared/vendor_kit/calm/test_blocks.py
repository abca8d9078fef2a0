"""Fifty instances keep to one limit together: nearly all of it, and never more, whatever becomes of them."""

import asyncio
import contextlib
import json
from datetime import timedelta
from pathlib import Path

import pytest

from shared.ports.documents import Create, Ref
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.calm.blocks import COLLECTION, PLATFORM, WITHOUT_STORE, OwnBlocks, SharedBlocks
from shared.vendor_kit.calm.urgency import Urgency
from shared.vendor_kit.rate import RateLimit, Throttled
from tests.unit.shared.vendor_kit.calm.instances import among_instances

TTLOCK, VOSTIO = Limit(calls=100, spare=15), Limit(calls=30, seconds=1.0)
RELEASED = Path(__file__).parents[2] / "ledger" / "released" / "rates.v1.json"
INSTANCES, APPLICATION = 50, "ttlock:0123456789abcdef"


def most_in_any(moments, seconds):
    """Return the most that began within any so long a time."""
    moments, first, most = sorted(moments), 0, 0
    for number, moment in enumerate(moments):
        while moments[first] <= moment - seconds:
            first += 1
        most = max(most, number - first + 1)
    return most


class Crowd:
    """Instances that all want to call, and the moments at which they did."""

    def __init__(self, instances, limit, shared=True, urgency=Urgency.ISSUE):
        self.instances, self.limit, self.shared, self.urgency = instances, limit, shared, urgency
        self.moments, self.living = [], []

    def hire(self, callers=3):
        """Start an instance."""
        rate = self.rate()
        task = asyncio.ensure_future(self._work(rate, callers))
        self.living.append(task)
        return task

    def rate(self):
        """Return a new instance's rate."""
        store, clock, entropy = self.instances.hire()
        log, limit = self.instances.log, self.limit
        blocks = (
            SharedBlocks(store, APPLICATION, limit, clock, entropy, log) if self.shared else OwnBlocks(limit)
        )
        return RateLimit(blocks, 10.0, clock)

    async def _work(self, rate, callers):
        await asyncio.gather(*(self._call(rate) for _ in range(callers)))

    async def _call(self, rate):
        while True:
            with contextlib.suppress(Throttled):
                await rate.turn(self.urgency)
                self.moments.append(_now())

    async def for_seconds(self, seconds):
        """Let them work for so long, and return how many calls were made each period, on the average."""
        began, before = _now(), len(self.moments)
        await asyncio.sleep(seconds)
        return (len(self.moments) - before) / ((_now() - began) / self.limit.seconds)

    async def deaths(self, every):
        """Let an instance die every so often, with whatever it holds, and another one come."""
        while True:
            await asyncio.sleep(every)
            self.living.pop(self.instances.chance.randrange(len(self.living))).cancel()
            self.hire()


def _now():
    return asyncio.get_running_loop().time()


SKEW = timedelta(seconds=15)
"""Up to half a minute lies between the clocks of two instances."""


def test_fifty_instances_make_nearly_all_calls_they_may_and_never_more(tmp_path):
    async def scenario(instances):
        crowd = Crowd(instances, TTLOCK)
        for _ in range(INSTANCES):
            crowd.hire()
        await crowd.for_seconds(130)
        each_minute, writes = await crowd.for_seconds(180), instances.counts["done"]
        return each_minute, writes / 310, crowd.moments

    each_minute, writes, moments = among_instances(tmp_path, scenario, 1, SKEW)
    assert most_in_any(moments, 60) <= 100
    assert each_minute >= 95
    assert writes < 3


@pytest.mark.parametrize("others", [1, 2])
def test_many_keys_that_go_lose_no_calls_to_a_burst_before_them_nor_to_each_other(tmp_path, others):
    async def scenario(instances):
        crowds = [Crowd(instances, TTLOCK, urgency=Urgency.BULK) for _ in range(others)]
        guests = crowds[0].rate()
        for _ in range(TTLOCK.burst):
            await guests.turn(Urgency.DOOR)
        for crowd in crowds:
            crowd.hire(8)
        await asyncio.sleep(150)  # what came at once is counted twice as long
        shares = await asyncio.gather(*(crowd.for_seconds(300) for crowd in crowds))
        return shares, [moment for crowd in crowds for moment in crowd.moments]

    shares, moments = among_instances(tmp_path, scenario, 1, SKEW)
    assert most_in_any(moments, 60) <= 100
    assert sum(shares) >= 95.5
    assert min(shares) >= 95 / others / 2


@pytest.mark.soak
def test_instances_that_die_holding_calls_cost_no_more_than_these(tmp_path):
    async def scenario(instances):
        crowd = Crowd(instances, TTLOCK)
        for _ in range(INSTANCES):
            crowd.hire()
        dying = asyncio.ensure_future(crowd.deaths(every=15))
        await crowd.for_seconds(130)
        each_minute = await crowd.for_seconds(180)
        dying.cancel()
        return each_minute, crowd.moments

    each_minute, moments = among_instances(tmp_path, scenario, 2, timedelta(seconds=15))
    assert most_in_any(moments, 60) <= 100
    assert each_minute >= 95


def test_a_limit_a_second_is_kept_where_clocks_agree_and_most_of_it_is_used(tmp_path):
    async def scenario(instances):
        crowd = Crowd(instances, VOSTIO)
        for _ in range(INSTANCES):
            crowd.hire(callers=12)
        await crowd.for_seconds(10)
        each_second, writes = await crowd.for_seconds(20), instances.counts["done"]
        return each_second, writes / 30, crowd.moments

    each_second, writes, moments = among_instances(tmp_path, scenario, 1, timedelta(milliseconds=5))
    assert most_in_any(moments, 1) <= 30
    assert each_second >= 0.75 * 30
    assert writes < 8


def test_limits_that_each_process_has_for_itself_are_caught(tmp_path):
    """The planted bug: what was before."""

    async def scenario(instances):
        crowd = Crowd(instances, TTLOCK, shared=False)
        for _ in range(3):
            crowd.hire()
        await crowd.for_seconds(120)
        return crowd.moments

    assert most_in_any(among_instances(tmp_path, scenario), 60) > 250


@pytest.mark.parametrize("quiet", [0, 20, 3600])
def test_the_first_call_of_a_new_instance_does_not_wait_for_long(tmp_path, quiet):
    async def scenario(instances):
        crowd = Crowd(instances, TTLOCK)
        for _ in range(2):
            await crowd.rate().turn(Urgency.ISSUE)
        await asyncio.sleep(quiet)
        began = _now()
        await crowd.rate().turn(Urgency.ISSUE)
        return _now() - began

    assert among_instances(tmp_path, scenario, apart=timedelta(seconds=10)) < 1


def test_a_busy_hour_is_forgotten_by_the_next_morning(tmp_path):
    async def scenario(instances):
        crowd = Crowd(instances, TTLOCK)
        for _ in range(5):
            crowd.hire()
        await crowd.for_seconds(120)
        for task in crowd.living:
            task.cancel()
        await asyncio.sleep(8 * 3600)
        rate, began = crowd.rate(), _now()
        for _ in range(5):
            await rate.turn(Urgency.ISSUE)
        return _now() - began

    assert among_instances(tmp_path, scenario, apart=timedelta(seconds=15)) < 1


def test_a_revocation_waits_for_no_key_of_any_instance(tmp_path):
    async def scenario(instances):
        crowd = Crowd(instances, TTLOCK)
        for _ in range(INSTANCES):
            crowd.hire()
        await crowd.for_seconds(100)
        waits, rate = [], crowd.rate()
        for _ in range(20):
            began = _now()
            await rate.turn(Urgency.REVOKE)
            waits.append(_now() - began)
            await asyncio.sleep(3)
        return max(waits)

    assert among_instances(tmp_path, scenario, 3) < 4


def test_a_look_at_a_battery_comes_to_its_turn_all_the_same(tmp_path):
    async def scenario(instances):
        crowd = Crowd(instances, TTLOCK)
        for _ in range(10):
            crowd.hire()
        await crowd.for_seconds(70)
        rate, came = crowd.rate(), 0
        for _ in range(20):
            with contextlib.suppress(Throttled):
                await rate.turn(Urgency.POLL)
                came += 1
        return came

    assert among_instances(tmp_path, scenario) >= 5


def test_a_lone_process_takes_many_calls_by_one_write(tmp_path):
    async def scenario(instances):
        rate = Crowd(instances, TTLOCK).rate()
        for _ in range(14):
            await rate.turn(Urgency.ISSUE)
            await asyncio.sleep(4)
        return instances.counts["reads"], instances.counts["commits"]

    assert among_instances(tmp_path, scenario) == (1, 1)


def test_while_the_store_is_away_each_process_keeps_to_a_small_part_of_the_limit(tmp_path):
    async def scenario(instances):
        store, clock, entropy = instances.hire()
        rate = RateLimit(SharedBlocks(store, APPLICATION, TTLOCK, clock, entropy, instances.log), 60.0, clock)
        for _ in range(32):
            await rate.turn(Urgency.ISSUE)
        store.away, moments = True, []
        for _ in range(10):
            await rate.turn(Urgency.REVOKE)
            moments.append(_now())
        store.away = False
        began = _now()
        await rate.turn(Urgency.REVOKE)
        return moments, _now() - began

    moments, then = among_instances(tmp_path, scenario)
    fair = TTLOCK.interval / 1000 * WITHOUT_STORE
    assert (moments[-1] - moments[0]) / 9 >= fair
    assert then <= fair + 1


def test_a_store_that_never_answers_keeps_nobody_waiting_for_ever(tmp_path):
    async def scenario(instances):
        store, clock, entropy = instances.hire()
        rate = RateLimit(SharedBlocks(store, APPLICATION, TTLOCK, clock, entropy, instances.log), 10.0, clock)

        async def never(what):
            await asyncio.sleep(3600)

        store.way = never
        await rate.turn(Urgency.REVOKE)
        return _now()

    assert among_instances(tmp_path, scenario) < 3


def test_what_is_kept_names_the_application_by_its_digest_and_stays_small(tmp_path):
    async def scenario(instances):
        crowd = Crowd(instances, TTLOCK)
        for _ in range(5):
            crowd.hire()
        await crowd.for_seconds(120)
        return (await instances.store.tenant(PLATFORM).get(Ref(COLLECTION, APPLICATION))).data

    kept = among_instances(tmp_path, scenario)
    month = {"month", "spent", "reserved", "limit"}
    assert set(kept) == {"schema_version", "at", "next_at", "blocks", "written"} | month
    assert len(kept["blocks"]) <= 110


def test_whoever_takes_calls_counts_those_of_a_release_and_keeps_what_a_newer_one_wrote(tmp_path):
    released = json.loads(RELEASED.read_text())["by a process"]

    async def scenario(instances):
        documents, ref = instances.store.tenant(PLATFORM), Ref(COLLECTION, APPLICATION)
        await documents.commit([Create(ref, {**released, "of_tomorrow": {"a": 1}})])
        rate = Crowd(instances, TTLOCK).rate()
        for _ in range(9):
            await rate.turn(Urgency.ISSUE)
        return (await documents.get(ref)).data

    kept = among_instances(tmp_path, scenario)
    assert kept["of_tomorrow"] == {"a": 1}
    assert kept.keys() - released.keys() == {"of_tomorrow"}
    assert kept["spent"] > released["spent"] > 0
    assert sum(calls for _, calls in kept["blocks"]) > sum(calls for _, calls in released["blocks"])
