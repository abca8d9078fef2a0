"""Turns come one at a time, end with their holder, and are kept while they are used."""

import asyncio
from datetime import timedelta

import pytest

from shared.vendor_kit.turns import HELD_FOR, LONGEST_RUN, PATIENCE, TurnNotCome
from tests.unit.shared.vendor_kit.leasing import TENANT, used, virtually


@pytest.mark.parametrize("processes", [1, 4])
def test_turns_come_one_at_a_time(processes):
    async def scenario(_, make):
        everybody, log = [make() for _ in range(processes)], []
        await asyncio.gather(*(used(everybody[n % processes], "gateway", log) for n in range(8)))
        return log

    assert virtually(scenario) == ["in", "out"] * 8


def test_turns_within_a_process_are_waited_for_without_asking_the_store():
    async def scenario(leases, make):
        turns, log = make(), []
        await asyncio.gather(*(used(turns, "gateway", log) for _ in range(5)))
        return leases.asked

    assert virtually(scenario) == 5


def test_turns_at_other_things_come_at_once():
    async def scenario(_, make):
        turns, log = make(), []
        await asyncio.gather(used(turns, "first", log), used(turns, "second", log))
        return log

    assert virtually(scenario) == ["in", "in", "out", "out"]


def test_a_turn_ends_when_its_use_fails():
    async def scenario(_, make):
        turns, log = make(), []
        with pytest.raises(ValueError, match="broke"):
            async with turns.take("gateway", "somebody"):
                raise ValueError("broke")
        await used(turns, "gateway", log, 0)
        return log

    assert virtually(scenario) == ["in", "out"]


def test_the_turn_of_one_who_died_is_outlasted():
    async def scenario(leases, make):
        await leases.acquire(TENANT, "gateway", "the dead", HELD_FOR)
        await used(make(), "gateway", [], 0)
        return asyncio.get_running_loop().time()

    assert HELD_FOR.total_seconds() <= virtually(scenario) <= PATIENCE


def test_a_turn_that_does_not_come_is_said():
    async def scenario(leases, make):
        await leases.acquire(TENANT, "gateway", "the slow", timedelta(hours=1))
        turns = make()
        for _ in range(2):
            with pytest.raises(TurnNotCome):
                await used(turns, "gateway", [])
        return asyncio.get_running_loop().time()

    assert 2 * PATIENCE <= virtually(scenario) < 2 * PATIENCE + 1


def test_a_turn_in_a_full_queue_is_not_waited_for_any_longer():
    async def scenario(_, make):
        turns, log = make(), []
        long = asyncio.ensure_future(used(turns, "gateway", log, PATIENCE + 5))
        await asyncio.sleep(1)
        with pytest.raises(TurnNotCome):
            await used(turns, "gateway", log)
        await long
        return log

    assert virtually(scenario) == ["in", "out"]


def test_a_turn_is_kept_while_it_is_used():
    async def scenario(leases, make):
        async with make().take("gateway", "somebody") as turn:
            for _ in range(10):
                await turn.keep(10)
                await asyncio.sleep(10)
            kept = leases.found("gateway")["fence"]
        return kept, leases.found("gateway")["holder"]

    assert virtually(scenario) == (1, "")


def test_a_turn_with_time_enough_is_not_renewed():
    async def scenario(leases, make):
        async with make().take("gateway", "somebody") as turn:
            before = turn.lease
            await turn.keep(10)
            return turn.lease is before

    assert virtually(scenario)


def test_a_turn_that_is_over_is_not_kept():
    async def scenario(_, make):
        async with make().take("gateway", "somebody") as turn:
            await asyncio.sleep(HELD_FOR.total_seconds() + 1)
            with pytest.raises(TurnNotCome):
                await turn.keep(1)

    virtually(scenario)


def test_a_turn_that_was_lost_does_not_last():
    async def scenario(leases, make):
        async with make().take("gateway", "somebody") as turn:
            leases.lose()
            assert turn.lasts
            with pytest.raises(TurnNotCome):
                await turn.keep(HELD_FOR.total_seconds())
            return turn.lasts

    assert virtually(scenario) is False


def test_a_process_that_is_always_busy_lets_the_others_have_their_turn():
    async def scenario(_, make):
        busy, other, waited = make(), make(), []

        async def always():
            while True:
                await used(busy, "gateway", [], 2)

        crowd = [asyncio.ensure_future(always()) for _ in range(4)]
        await asyncio.sleep(1)
        for _ in range(2):
            began = asyncio.get_running_loop().time()
            await used(other, "gateway", [], 0)
            waited.append(asyncio.get_running_loop().time() - began)
        for task in crowd:
            task.cancel()
        return waited

    assert max(virtually(scenario)) < PATIENCE / 2


def test_a_thing_that_is_seldom_used_is_had_without_a_pause():
    async def scenario(_, make):
        turns = make()
        for _ in range(3):
            await used(turns, "gateway", [], LONGEST_RUN)
            await asyncio.sleep(1)
        return asyncio.get_running_loop().time()

    assert virtually(scenario) == 3 * (LONGEST_RUN + 1)
