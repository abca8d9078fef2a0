"""Residues that are asked for hour by hour: whose turn it is, is not forgotten after days."""

import asyncio
from urllib.parse import parse_qs

import orjson

from infra.local.simulation.loop import run_virtually
from shared.vendor_kit.http import Answer
from tests.simulated import simulated_fleet
from tests.workflows.test_many_locks import Hotel, _map, _wing

ROOMS = (301, 302, 303, 304, 311)
FLOOR = range(301, 313)


class Waits(Hotel):
    offline = False

    async def send(self, call):
        if self.offline and call.url.endswith("/v3/keyboardPwd/delete") and b"lockId=1000311" in call.body:
            return Answer(200, {}, orjson.dumps({"errcode": -3002, "errmsg": "gateway offline"}))
        if self.hangs and call.url.endswith("/v3/keyboardPwd/delete"):
            (lock,) = parse_qs(call.body.decode())["lockId"]
            if int(lock) - 1_000_000 < 305:
                await asyncio.sleep(10)
                return Answer(200, {}, orjson.dumps({"errcode": -3002, "errmsg": "gateway offline"}))
        return await super().send(call)


def play(home, scenario, seed=0):
    async def main(clock):
        house = Waits(clock, seed, _wing(FLOOR))
        async with simulated_fleet(home, clock, seed, outside=house) as on:
            house.on = on
            await _map(house, FLOOR)
            await house.unmap("front")
            return await scenario(house)

    return run_virtually(main, seed)


async def _left_with_residues(house, hours):
    stay = {"validFrom": "2026-03-01T09:00:00Z", "validUntil": "2026-03-20T07:30:00Z"}
    await house.publish("evt_1", rooms=[f"rmu_{room}" for room in ROOMS], **stay)
    await asyncio.sleep(60)
    assert len(await house.doors_with_keys(ROOMS)) == 5
    house.hangs = True
    house.offline = True
    await house.publish("evt_2", "checked_out", time="2026-03-01T11:00:00Z")
    await asyncio.sleep(hours * 3600)
    house.offline = False
    await asyncio.sleep(24 * 3600)
    assert await house.doors_with_keys([311]) == []


def test_after_three_days_a_door_that_is_well_again_is_emptied(tmp_path):
    play(tmp_path, lambda house: _left_with_residues(house, 72))
