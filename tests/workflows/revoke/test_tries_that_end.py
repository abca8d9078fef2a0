"""A group's key that is to go, and gateways that are away: tries are counted, with rests and an end."""

import asyncio
from collections import Counter
from functools import partial

import pytest

from tests.support.large_hotel import Wing, refusal
from tests.support.large_hotel import play as play_in

FLOOR = range(301, 341)
STAY = {"validFrom": "2026-03-01T09:00:00Z", "validUntil": "2026-03-08T09:00:00Z"}


class Offline(Wing):
    """A hotel whose gateways are offline, which the vendor says after two seconds, lock by lock."""

    locks, asked = (), 0

    async def at(self, operation, room, call):
        """Say that the gateway is offline."""
        if operation != "delete" or room not in self.locks:
            return None
        self.asked += 1
        await asyncio.sleep(2)
        return refusal(-3002)


play = partial(play_in, rooms=FLOOR, hotel=Offline)


async def leaves(house, count, hours):
    await house.publish("evt_1", rooms=[f"rmu_{room}" for room in FLOOR[:count]], **STAY)
    await asyncio.sleep(300)
    assert len(await house.doors_with_keys(FLOOR)) == count
    house.locks = FLOOR
    await house.publish("evt_2", "checked_out", time="2026-03-01T11:00:00Z")
    await asyncio.sleep(hours * 3600)


async def states(house):
    """Return how many grants are in which state."""
    return Counter(g["grant"]["state"]["type"] for g in (await house.documents("grants")).values())


@pytest.mark.parametrize(
    "count", [15, 16, *(pytest.param(many, marks=pytest.mark.soak) for many in (31, 40))]
)
def test_after_an_hour_the_doors_that_keep_the_key_are_told(tmp_path, count):
    async def scenario(house):
        await leaves(house, count, 1)
        assert await states(house) == {"residual": count}
        assert house.asked <= count * 8

    play(tmp_path, scenario)


@pytest.mark.soak
def test_doors_whose_gateway_is_back_are_emptied_though_others_stay_away(tmp_path):
    async def scenario(house):
        await leaves(house, 37, 3)
        house.locks = range(301, 319)
        await asyncio.sleep(12 * 3600)
        assert await house.doors_with_keys(range(319, 338)) == []

    play(tmp_path, scenario)


def test_a_person_who_was_at_one_of_many_doors_may_say_so(tmp_path):
    async def scenario(house):
        await leaves(house, 16, 1)
        one = next(iter(await house.documents("grants")))
        command = {"tenant": "tnt_silk", "grant": one, "by": "usr_1"}
        assert (await house.on.send("close-residue", command, caller="operator"))[0] == 200
        assert await states(house) == {"residual": 15, "removed": 1}

    play(tmp_path, scenario)
