"""Somebody asks again and again for a group's key that is being taken back: all doors are emptied."""

import asyncio

from tests.support.large_hotel import Wing, play
from tests.support.ordered_keys import ask_again

FLOOR = range(301, 321)
STAY = {"validFrom": "2026-03-01T09:00:00Z", "validUntil": "2026-03-08T09:00:00Z"}


class Slow(Wing):
    """Every lock takes four seconds, from some moment on."""

    slow = False

    async def at(self, operation, room, call):
        if self.slow:
            await asyncio.sleep(4)


def test_all_doors_are_emptied_though_somebody_asks_each_25_seconds(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", rooms=[f"rmu_{room}" for room in FLOOR], **STAY)
        await asyncio.sleep(300)
        house.slow = True
        await house.publish("evt_2", "checked_out", time="2026-03-01T11:00:00Z")
        (key,) = await house.keys()
        for _ in range(8):
            await asyncio.sleep(25)
            await ask_again(house, key["core"]["id"])
        assert await house.doors_with_keys(FLOOR) == []

    play(tmp_path, scenario, rooms=FLOOR, hotel=Slow)
