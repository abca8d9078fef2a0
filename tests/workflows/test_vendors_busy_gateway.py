"""The vendor itself says that a gateway is busy (-3003): that is an answer, and not our own queue."""

import asyncio
from urllib.parse import parse_qs

import orjson
import pytest

from infra.local.simulation.loop import run_virtually
from shared.vendor_kit.http import Answer
from tests.simulated import simulated_fleet
from tests.workflows.test_many_locks import Hotel, _map, _wing

FLOOR = range(301, 341)
NOW = {"validFrom": "2026-03-01T09:00:00Z"}


class Busy(Hotel):
    """A hotel where some locks' gateway is busy with somebody else's app."""

    locks, operation, takes, asked = (), "", 2.0, 0

    async def send(self, call):
        if call.url.endswith(f"/v3/keyboardPwd/{self.operation}"):
            (lock,) = parse_qs(call.body.decode())["lockId"]
            if int(lock) - 1_000_000 in self.locks:
                self.asked += 1
                await asyncio.sleep(self.takes)
                return Answer(200, {}, orjson.dumps({"errcode": -3003, "errmsg": "gateway is busy"}))
        return await super().send(call)


def play(home, scenario, seed=0):
    async def main(clock):
        house = Busy(clock, seed, _wing(FLOOR))
        async with simulated_fleet(home, clock, seed, outside=house) as on:
            house.on = on
            await _map(house, FLOOR)
            await house.unmap("front")
            return await scenario(house)

    return run_virtually(main, seed)


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


@pytest.mark.parametrize("count", [10, 40])
def test_a_group_whose_gateways_are_busy_fails_after_six_attempts(tmp_path, count):
    """Ten are asked in one round; forty are not."""

    async def scenario(house):
        house.operation, house.locks = "add", FLOOR
        await house.publish("evt_1", rooms=[f"rmu_{room}" for room in FLOOR[:count]], **NOW)
        await asyncio.sleep(2 * 3600)
        (key,) = await house.keys()
        assert key["state"]["type"] == "failed"

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
