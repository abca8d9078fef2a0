"""A bus that is out of order for a while costs a key nothing but time, and every event is told in the end."""

import asyncio

import pytest

from shared.ports.trouble import ServiceTrouble
from tests.support.sample_hotel import owed, play


def out_of_order(house, words, seconds):
    """Let announcements of some words fail for a while."""
    publish, ends = house.fleet.bus.publish, asyncio.get_running_loop().time() + seconds

    async def troubled(topic, messages):
        if topic.rsplit(".", 2)[1] in words and asyncio.get_running_loop().time() < ends:
            raise ServiceTrouble("the bus is in trouble")
        return await publish(topic, messages)

    house.fleet.bus.publish = troubled


@pytest.mark.parametrize("words", [("pending",), ("issued",), ("requested", "pending", "issued")])
@pytest.mark.parametrize("seconds", [5, 30, 300])
def test_a_key_is_made_at_its_first_attempt_and_told_when_the_bus_is_back(tmp_path, words, seconds):
    async def scenario(house):
        out_of_order(house, words, seconds)
        await house.publish("evt_1")
        await asyncio.sleep(900)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        assert len(key["core"]["plan"]["made"]) == 1
        assert [*dict.fromkeys(await house.told())] == ["requested", "pending", "issued"]
        (entry,) = (await house.documents("credentials")).values()
        assert (entry["announced"], owed(entry)) == (3, False)

    play(tmp_path, scenario)
