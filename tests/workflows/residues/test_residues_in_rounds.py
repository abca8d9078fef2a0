"""Residues of a large group: their gateways are back, and all of them are asked, however long that takes."""

import asyncio

import pytest

from tests.support.ordered_keys import ask_again
from tests.workflows.revoke.test_tries_that_end import FLOOR, leaves, play, states

SLOW = {"cloudMs": [150, 400], "gatewayMs": [4000, 5000]}


async def back(house):
    """Bring the gateways back, at a usual pace."""
    house.locks = ()
    await house.steer("PUT", "latency", **SLOW)


@pytest.mark.parametrize("count", [6, 40])
def test_all_residues_are_asked_within_the_hour_their_gateways_are_back(tmp_path, count):
    async def scenario(house):
        await leaves(house, count, 1)
        assert await states(house) == {"residual": count}
        await back(house)
        await asyncio.sleep(2 * 3600)
        assert await house.doors_with_keys(FLOOR) == []

    play(tmp_path, scenario)


def test_who_asks_again_for_residues_has_all_of_them_asked(tmp_path):
    async def scenario(house):
        await leaves(house, 40, 1)
        await back(house)
        (key,) = await house.keys()
        assert (await ask_again(house, key["core"]["id"]))[0] == 200
        await asyncio.sleep(900)
        assert await house.doors_with_keys(FLOOR) == []

    play(tmp_path, scenario)


def test_who_asks_again_amid_an_hourly_try_is_told_to_wait_and_then_has_its_locks_asked(tmp_path):
    async def scenario(house):
        await leaves(house, 20, 1)
        before = house.asked
        for _ in range(3600):
            await asyncio.sleep(1)
            if house.asked > before + 14:
                break
        house.locks = ()
        (key,) = await house.keys()
        status, told = await ask_again(house, key["core"]["id"])
        assert (status, told["error"]["problem"]) == (400, "its vendor is being asked for it just now")
        await asyncio.sleep(120)
        assert (await ask_again(house, key["core"]["id"]))[0] == 200
        await asyncio.sleep(600)
        assert await house.doors_with_keys(FLOOR) == []

    play(tmp_path, scenario)
