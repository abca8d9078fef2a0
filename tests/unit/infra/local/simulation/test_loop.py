"""The virtual loop: time jumps, order is seeded, a hang is found."""

import asyncio
from datetime import timedelta

import pytest

from infra.local.simulation.loop import BEGINNING, NothingLeftToDo, VirtualClock, run_virtually


def test_a_long_sleep_takes_no_time_but_moves_the_clock():
    async def nap(clock: VirtualClock):
        await asyncio.sleep(30 * 24 * 3600)
        return clock.now()

    assert run_virtually(nap) == BEGINNING + timedelta(days=30)


def test_timers_fire_in_the_order_of_their_times():
    async def race(clock: VirtualClock):
        order: list[float] = []

        async def wait(seconds: float):
            await asyncio.sleep(seconds)
            order.append(seconds)

        await asyncio.gather(*(wait(s) for s in (3, 1, 2)))
        return order

    assert run_virtually(race, seed=5) == [1, 2, 3]


def _order_under(seed: int | None) -> list[int]:
    async def race(clock: VirtualClock):
        order: list[int] = []

        async def step(number: int):
            await asyncio.sleep(0)
            order.append(number)

        await asyncio.gather(*(step(n) for n in range(8)))
        return order

    return run_virtually(race, seed)


def test_the_same_seed_gives_the_same_order():
    assert _order_under(7) == _order_under(7)


def test_different_seeds_give_different_orders():
    assert len({tuple(_order_under(seed)) for seed in range(10)}) > 5


def test_without_a_seed_the_order_is_the_loops_own():
    assert _order_under(None) == list(range(8))


def test_waiting_for_nothing_is_an_error_and_not_a_hang():
    async def hang(clock: VirtualClock):
        await asyncio.get_running_loop().create_future()

    with pytest.raises(NothingLeftToDo):
        run_virtually(hang)
