"""The rate limit holds, and revocations go first."""

import asyncio
import contextlib

import pytest

from infra.local.simulation.loop import run_virtually
from shared.vendor_kit.rate import RateLimit, Throttled, Urgency


def virtually(scenario):
    """Run a scenario in virtual time, given the loop's clock in seconds."""

    async def main(_):
        return await scenario(asyncio.get_running_loop().time)

    return run_virtually(main)


def test_rate_limit_lets_a_burst_through_and_then_an_even_stream():
    async def scenario(now):
        limit, moments = RateLimit(per_minute=60, burst=3, patience=60), []
        for _ in range(6):
            await limit.turn(Urgency.ISSUE)
            moments.append(round(now(), 3))
        return moments

    assert virtually(scenario) == [0, 0, 0, 1, 2, 3]


def test_rate_limit_lets_no_more_than_its_number_through_in_any_minute():
    async def scenario(now):
        limit, moments = RateLimit(per_minute=100, burst=10, patience=10), []

        async def caller():
            while now() < 200:
                with contextlib.suppress(Throttled):
                    await limit.turn(Urgency.ISSUE)
                    moments.append(now())

        await asyncio.gather(*(caller() for _ in range(12)))
        return max(sum(begun <= each < begun + 60 for each in moments) for begun in moments), len(moments)

    assert virtually(scenario) == (100, pytest.approx(340, abs=15))


def test_rate_limit_saves_up_no_more_than_a_burst():
    async def scenario(now):
        limit, begun = RateLimit(per_minute=60, burst=2, patience=60), 3600.0
        await asyncio.sleep(begun)
        for _ in range(4):
            await limit.turn(Urgency.ISSUE)
        return round(now() - begun, 3)

    assert virtually(scenario) == 2


def test_rate_limit_lets_the_urgent_go_first_and_the_rest_in_order():
    async def scenario(_):
        limit, done = RateLimit(per_minute=60, burst=1, patience=60), []

        async def call(urgency, name):
            await limit.turn(urgency)
            done.append(name)

        await limit.turn(Urgency.POLL)
        wanted = [(Urgency.POLL, "poll"), (Urgency.ISSUE, "issue 1"), (Urgency.REVOKE, "revoke")]
        async with asyncio.TaskGroup() as group:
            for urgency, name in [*wanted, (Urgency.ISSUE, "issue 2")]:
                group.create_task(call(urgency, name))
        return done

    assert virtually(scenario) == ["revoke", "issue 1", "issue 2", "poll"]


def test_rate_limit_sends_away_whoever_would_wait_too_long_and_gives_the_turn_to_the_next():
    async def scenario(now):
        limit = RateLimit(per_minute=1, burst=1, patience=30)
        await limit.turn(Urgency.ISSUE)
        with pytest.raises(Throttled):
            await limit.turn(Urgency.ISSUE)
        assert round(now(), 3) == 30
        await asyncio.sleep(1)
        await limit.turn(Urgency.ISSUE)
        return round(now(), 3)

    assert virtually(scenario) == 60


def test_rate_limit_wastes_no_turn_on_a_caller_who_was_cancelled():
    async def scenario(now):
        limit = RateLimit(per_minute=60, burst=1, patience=60)
        await limit.turn(Urgency.ISSUE)
        gone = asyncio.ensure_future(limit.turn(Urgency.REVOKE))
        await asyncio.sleep(0)
        gone.cancel()
        await limit.turn(Urgency.ISSUE)
        return round(now(), 3)

    assert virtually(scenario) == 1
