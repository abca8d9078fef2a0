"""The vendor itself says that a gateway is busy (-3003): that is an answer, and not our own queue."""

import asyncio
from functools import partial

import pytest

from tests.support.large_hotel import Wing, refusal
from tests.support.large_hotel import play as play_in

FLOOR = range(301, 341)
NOW = {"validFrom": "2026-03-01T09:00:00Z"}


class Busy(Wing):
    """A hotel where some locks' gateway is busy with somebody else's app."""

    locks, operation = (), ""

    async def at(self, operation, room, call):
        """Say that the gateway is busy."""
        if operation != self.operation or room not in self.locks:
            return None
        await asyncio.sleep(2)
        return refusal(-3003)


play = partial(play_in, rooms=FLOOR, hotel=Busy)


def test_a_key_that_the_vendor_does_not_take_back_is_alarmed_at_once(tmp_path):
    """A §8.3, decision 0027: the first refusal of each lock is alarmed at once."""

    async def scenario(house):
        await house.publish("evt_1", rooms=["rmu_301"], **NOW)
        await asyncio.sleep(20)
        house.operation, house.locks = "delete", (301,)
        await house.publish("evt_2", "checked_out", time="2026-03-01T11:00:00Z")
        await asyncio.sleep(60)
        assert house.logged("ALERT") != []

    play(tmp_path, scenario)


@pytest.mark.parametrize("count", [10, pytest.param(40, marks=pytest.mark.soak)])
def test_a_group_whose_gateways_are_busy_fails_after_six_attempts(tmp_path, count):
    """Ten are asked in one round; forty are not."""

    async def scenario(house):
        house.operation, house.locks = "add", FLOOR
        await house.publish("evt_1", rooms=[f"rmu_{room}" for room in FLOOR[:count]], **NOW)
        await asyncio.sleep(3600)
        key, *_ = await house.keys()
        assert (key["state"]["type"], len(key["core"]["plan"]["made"])) == ("failed", 6)

    play(tmp_path, scenario)


def test_doors_that_are_well_get_their_key_though_others_are_busy(tmp_path):
    async def scenario(house):
        house.operation, house.locks = "add", range(301, 321)
        await house.publish("evt_1", rooms=[f"rmu_{room}" for room in FLOOR])
        await asyncio.sleep(600)
        assert len(await house.doors_with_keys(range(321, 341))) == 20

    play(tmp_path, scenario)


def test_doors_that_are_well_are_emptied_though_others_are_busy(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", rooms=[f"rmu_{room}" for room in FLOOR], **NOW)
        await asyncio.sleep(300)
        assert len(await house.doors_with_keys(FLOOR)) == 40
        house.operation, house.locks = "delete", range(301, 321)
        await house.publish("evt_2", "checked_out", time="2026-03-01T11:00:00Z")
        await asyncio.sleep(6 * 3600)
        assert await house.doors_with_keys(range(321, 341)) == []

    play(tmp_path, scenario)
