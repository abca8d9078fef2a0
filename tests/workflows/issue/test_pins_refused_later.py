"""A lock that will not have a living key's PIN, for another's opens there, gets its guest another key."""

import asyncio

import pytest

from shared.ports.documents import Ref, Update
from tests.support.changed_stays import ADD, booked, changed, ordered, pins
from tests.support.sample_hotel import SILK, play

TAKEN = "errcode:-3007"


async def moved(house):
    await house.fault(TAKEN, ADD, times=2)
    await changed(house, rooms=["rmu_102"])
    return "102", "101"


async def woken(house):
    await ordered(house, "hold-stay")
    assert await pins(house, "101") == []
    await house.fault(TAKEN, ADD, times=1)
    await ordered(house, "release-stay")
    return "101", "102"


async def forgotten(house, name):
    """Have the stay name none of its keys, as if each had another by now."""
    store = house.fleet.documents.tenant(SILK)
    found = await store.get(Ref("reservations", name))
    await store.commit([Update(found.ref, {**found.data, "credentials": []}, found.version)])


@pytest.mark.parametrize("happens", [moved, woken])
def test_key_whose_pin_a_lock_refuses_when_it_moves_or_wakes_is_replaced(tmp_path, happens):
    async def scenario(house):
        key, pin = await booked(house)
        room, elsewhere = await happens(house)
        await asyncio.sleep(180)
        old, new = sorted(await house.keys(), key=lambda each: each["core"]["id"] != key)
        assert (old["state"]["type"], old["state"]["reason"]) == ("revoked", "replaced")
        assert old["state"]["replaced_by"] == new["core"]["id"]
        assert (new["state"]["type"], new["core"]["role"], new["core"]["replaces"]) == (
            "active",
            "replacement",
            key,
        )
        assert new["core"]["rooms"] == [f"rmu_{room}"]
        (other,) = await pins(house, room)
        assert other != pin
        assert await pins(house, elsewhere) == []
        assert await pins(house, "front") == [other]
        (stay,) = (await house.documents("reservations")).values()
        assert stay["credentials"] == [new["core"]["id"]]
        assert house.logged("ALERT") == []

    play(tmp_path, scenario)


def test_key_that_can_have_no_other_is_told_to_people_and_asked_for_each_hour(tmp_path):
    async def scenario(house):
        key, pin = await booked(house)
        await house.fault(TAKEN, ADD)
        await changed(house, rooms=["rmu_102"])
        (name,) = await house.documents("reservations")
        await forgotten(house, name)
        await asyncio.sleep(180)
        assert [each["core"]["id"] for each in await house.keys()] == [key]
        (told,) = [line for line in house.logged("ALERT") if "no other key" in str(line)]
        assert pin not in str(told)
        await house.mend()
        await asyncio.sleep(2 * 3600)
        assert await pins(house, "102") == [pin]

    play(tmp_path, scenario)
