"""Somebody at the desk asks twice, because the lock takes some seconds."""

import asyncio

from tests.support.ordered_keys import ask_again
from tests.support.sample_hotel import play

SLOW = {"cloudMs": [150, 400], "gatewayMs": [4000, 5000]}


def test_a_key_that_is_being_made_is_not_failed_by_who_asks_for_it(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1")
        await asyncio.sleep(240)
        (key,) = await house.keys()
        assert (key["state"]["type"], len(key["core"]["plan"]["made"])) == ("pending", 5)
        await house.mend()
        await house.steer("PUT", "latency", **SLOW)
        assert (await ask_again(house, key["core"]["id"]))[0] == 200
        await asyncio.sleep(3)
        status, answer = await ask_again(house, key["core"]["id"])
        assert (status, answer["error"]["problem"]) == (400, "its vendor is being asked for it just now")
        await asyncio.sleep(600)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"

    play(tmp_path, scenario)


def test_a_key_that_waits_in_line_is_not_failed_by_who_asks_for_it(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.steer("PUT", "latency", cloudMs=[150, 400], gatewayMs=[6000, 7000])
        await house.publish("evt_1")
        await asyncio.sleep(2)
        (key,) = await house.keys()
        for _ in range(7):
            await ask_again(house, key["core"]["id"])
            await asyncio.sleep(4)
        await asyncio.sleep(600)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"

    play(tmp_path, scenario)
