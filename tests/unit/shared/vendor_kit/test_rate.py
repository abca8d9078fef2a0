"""The line for calls within a vendor's limit: the urgent go first, and nobody's call is wasted."""

import asyncio
import contextlib
import itertools
from datetime import timedelta

import pytest

from infra.local.simulation.loop import run_virtually
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.calm.blocks import OwnBlocks
from shared.vendor_kit.calm.urgency import Hurry, hurrying
from shared.vendor_kit.rate import NO_LIMIT, RateLimit, Throttled, Urgency

SECOND = Limit(calls=9, seconds=9.0, burst=3)


def virtually(scenario, limit=SECOND, patience=60.0):
    """Run a scenario in virtual time, given a rate and the loop's clock in seconds."""

    async def main(clock):
        return await scenario(RateLimit(OwnBlocks(limit), patience, clock), asyncio.get_running_loop().time)

    return run_virtually(main)


def most_in_any(moments, seconds):
    """Return the most that began within any so long a time."""
    return max(sum(begun <= each < begun + seconds for each in moments) for begun in moments)


def test_a_burst_goes_at_once_and_then_an_even_stream():
    async def scenario(rate, now):
        moments = []
        for _ in range(6):
            await rate.turn(Urgency.ISSUE)
            moments.append(now())
        return [later - earlier for earlier, later in itertools.pairwise(moments)]

    gaps = virtually(scenario)
    assert gaps[:2] == [0, 0]
    assert gaps[2:] == pytest.approx([SECOND.interval / 1000] * 3, abs=0.01)


@pytest.mark.parametrize("limit", [Limit(calls=100), Limit(calls=30, seconds=1.0, burst=2), SECOND])
def test_no_period_holds_more_calls_than_the_limit_and_hardly_fewer(limit):
    async def scenario(rate, now):
        moments = []

        async def caller():
            while now() < 8 * limit.seconds:
                with contextlib.suppress(Throttled):
                    await rate.turn(Urgency.ISSUE)
                    moments.append(now())

        await asyncio.gather(*(caller() for _ in range(12)))
        return moments

    moments = virtually(scenario, limit, patience=10.0)
    assert most_in_any(moments, limit.seconds) <= limit.calls
    assert len(moments) >= 0.93 * 8 * limit.calls


def test_a_long_quiet_saves_up_no_more_than_a_burst_and_some_spare_calls():
    async def scenario(rate, now):
        await asyncio.sleep(3600)
        began = now()
        for _ in range(30):
            await rate.turn(Urgency.ISSUE)
        return now() - began

    limit = Limit(calls=100, burst=5, spare=15)
    assert virtually(scenario, limit) == pytest.approx(0, abs=limit.interval / 1000)


def test_the_urgent_go_first_and_the_rest_by_arrival():
    async def scenario(rate, _):
        done = []

        async def call(urgency, name, days=None):
            arrives = None if days is None else clock_of(rate).now() + timedelta(days=days)
            with hurrying(Hurry(arrives=arrives)):
                await rate.turn(urgency)
            done.append(name)

        for _ in range(3):
            await rate.turn(Urgency.POLL)
        async with asyncio.TaskGroup() as group:
            group.create_task(call(Urgency.POLL, "poll"))
            group.create_task(call(Urgency.ISSUE, "in a week", 7))
            group.create_task(call(Urgency.ISSUE, "tomorrow", 1))
            group.create_task(call(Urgency.ISSUE, "at the door", 0))
            group.create_task(call(Urgency.REVOKE, "revoke"))
        return done

    assert virtually(scenario) == ["revoke", "at the door", "tomorrow", "in a week", "poll"]


def clock_of(rate):
    return rate._clock


def test_whoever_would_wait_too_long_is_sent_away_and_the_turn_goes_to_the_next():
    async def scenario(rate, now):
        await rate.turn(Urgency.ISSUE)
        with pytest.raises(Throttled):
            await rate.turn(Urgency.ISSUE)
        assert now() == pytest.approx(30, abs=0.1)
        await asyncio.sleep(5)
        await rate.turn(Urgency.ISSUE)
        return now()

    limit = Limit(calls=1, burst=1)
    assert virtually(scenario, limit, 30.0) == pytest.approx(limit.interval / 1000, abs=0.1)


def test_a_turn_is_not_wasted_on_a_caller_who_was_cancelled():
    async def scenario(rate, now):
        await rate.turn(Urgency.ISSUE)
        gone = asyncio.ensure_future(rate.turn(Urgency.REVOKE))
        await asyncio.sleep(0)
        gone.cancel()
        await rate.turn(Urgency.ISSUE)
        return now()

    limit = Limit(calls=60, burst=1)
    assert virtually(scenario, limit) == pytest.approx(limit.interval / 1000, abs=0.01)


def test_who_is_throttled_leaves_nobody_asleep():
    async def scenario(rate, now):
        done = []

        async def call(number):
            with contextlib.suppress(Throttled):
                await rate.turn(Urgency.ISSUE)
                done.append(number)

        await asyncio.gather(*(call(number) for number in range(300)))
        return len(done), now()

    calls, took = virtually(scenario, Limit(calls=100), 20.0)
    assert calls >= 30
    assert took == pytest.approx(20, abs=0.1)


async def test_a_vendor_who_counts_nothing_is_waited_for_by_nobody():
    for _ in range(10_000):
        await NO_LIMIT.turn(Urgency.POLL)
