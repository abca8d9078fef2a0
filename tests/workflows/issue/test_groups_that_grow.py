"""A group whose stay is changed often keeps its keys (decision 0026), and then leaves, or never comes."""

import asyncio

import pytest

from tests.support.large_hotel import play

LARGE = pytest.mark.parametrize(
    "rooms", [range(301, 311), pytest.param(range(301, 333), marks=pytest.mark.soak)], ids=["ten", "many"]
)


def _at(minute):
    return f"2026-03-01T10:{minute:02d}:00Z"


async def grown(house, rooms):
    """Book a group room by room: each confirmation adds one, and every earlier key is within the stay."""
    for number in range(1, len(rooms) + 1):
        wanted = [f"rmu_{room}" for room in rooms[:number]]
        await house.publish(f"evt_{number}", rooms=wanted, version=number, time=_at(number))
        await asyncio.sleep(300)


@LARGE
def test_a_group_booked_room_by_room_that_cancels_keeps_no_key(tmp_path, rooms):
    async def scenario(house):
        await grown(house, rooms)
        assert len(await house.doors_with_keys(rooms)) == len(rooms)
        await house.publish("evt_off", "cancelled", version=100, time="2026-03-01T11:00:00Z")
        await asyncio.sleep(2 * 3600)
        assert await house.doors_with_keys(rooms) == []

    play(tmp_path, scenario, rooms=rooms)


@pytest.mark.parametrize("size", [20, pytest.param(140, marks=pytest.mark.soak)])
def test_a_large_group_that_stays_longer_again_and_again_and_then_leaves_early_keeps_no_key(tmp_path, size):
    rooms = range(301, 301 + size)
    wanted = [f"rmu_{room}" for room in rooms]

    async def scenario(house):
        for day in range(5, 10):
            end = {"validUntil": f"2026-03-{day:02d}T07:30:00Z"}
            await house.publish(f"evt_{day}", rooms=wanted, version=day, time=_at(day), **end)
            await asyncio.sleep(3600)
        assert len(await house.documents("grants")) == 5 * size
        await house.publish("evt_off", "checked_out", version=100, time="2026-03-01T15:00:00Z")
        await asyncio.sleep(2 * 3600)
        assert await house.doors_with_keys(rooms) == []

    play(tmp_path, scenario, rooms=rooms)


@LARGE
def test_a_grown_group_handed_to_another_guest_leaves_the_first_no_key(tmp_path, rooms):
    async def scenario(house):
        await grown(house, rooms)
        other = {"guest": {"id": "gst_2"}, "version": 100, "time": "2026-03-01T11:00:00Z"}
        await house.publish("evt_x", rooms=["rmu_301"], **other)
        await asyncio.sleep(3600)
        states = {key["core"]["holder"]["guest_id"]: set() for key in await house.keys()}
        for key in await house.keys():
            states[key["core"]["holder"]["guest_id"]].add(key["state"]["type"])
        assert states == {"gst_1": {"revoked"}, "gst_2": {"active"}}

    play(tmp_path, scenario, rooms=rooms)
