"""Turns come one at a time, end with their holder, and are kept while they are used."""

import asyncio
from datetime import timedelta

import pytest

from infra.local.ambient import SeededEntropy
from infra.local.simulation.loop import run_virtually
from shared.domain.ids import TenantId
from shared.ports.leases import Lease, LeaseLost
from shared.vendor_kit.turns import HELD_FOR, PATIENCE, TurnNotCome, Turns

TENANT = TenantId("tnt_alpha")


class MemoryLeases:
    """Leases in memory, and how often they were asked for."""

    def __init__(self, clock):
        self._clock, self.held, self.asked = clock, {}, 0

    async def acquire(self, tenant, name, holder, ttl):
        self.asked += 1
        before = self.held.get(name)
        if before is not None and before.expires_at > self._clock.now():
            return None
        fence = before.fence + 1 if before else 1
        self.held[name] = Lease(tenant, name, holder, fence, self._clock.now() + ttl)
        return self.held[name]

    async def renew(self, lease, ttl):
        if self.held.get(lease.name) != lease or lease.expires_at <= self._clock.now():
            raise LeaseLost(lease.name)
        self.held[lease.name] = Lease(TENANT, lease.name, lease.holder, lease.fence, self._clock.now() + ttl)
        return self.held[lease.name]

    async def release(self, lease):
        if self.held.get(lease.name) == lease:
            self.held[lease.name] = Lease(TENANT, lease.name, "", lease.fence, self._clock.now())


def virtually(scenario):
    """Run a scenario in virtual time, given leases and the turns of as many processes as it wants."""

    async def main(clock):
        leases = MemoryLeases(clock)
        return await scenario(leases, lambda: Turns(leases, TENANT, clock, SeededEntropy(7)))

    return run_virtually(main, seed=3)


async def used(turns, name, log, seconds=1.0):
    """Use a turn for a while, and log it."""
    async with turns.take(name, "somebody"):
        log.append("in")
        await asyncio.sleep(seconds)
        log.append("out")


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
            kept = leases.held["gateway"].fence
        return kept, leases.held["gateway"].holder

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
