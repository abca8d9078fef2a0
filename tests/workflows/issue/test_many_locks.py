"""A group of a dozen rooms leaves while the gateway of most of their doors hangs: calls end in silence."""

import asyncio
from functools import partial

import pytest

from shared.vendor_kit.http import TimedOut
from tests.support.large_hotel import Wing
from tests.support.large_hotel import play as play_in

LATER = "2026-03-01T11:00:00Z"
FLOOR = range(301, 313)
HUNG = range(301, 311)
"""Ten doors hang together at one gateway; the last two have another, which is well."""


class Hanging(Wing):
    """A hotel with a gateway that may hang."""

    hangs = False

    async def at(self, operation, room, call):
        """Be silent where the gateway hangs."""
        if self.hangs and operation == "delete" and room in HUNG:
            await asyncio.sleep(call.timeout)
            raise TimedOut("no answer")


play = partial(play_in, rooms=FLOOR, hotel=Hanging)


async def _group_leaves(house):
    await house.publish("evt_1", rooms=[f"rmu_{room}" for room in FLOOR])
    await asyncio.sleep(60)
    assert [key["state"]["type"] for key in await house.keys()] == ["active"]
    assert len(await house.doors_with_keys(FLOOR)) == 12
    house.hangs = True
    await house.publish("evt_2", "checked_out", time=LATER)


async def _business_as_usual(house):
    """Keep the account busy with other guests, whose doors are well."""
    for number in range(10_000):
        room = ("101", "102", "203", "204")[number % 4]
        stay = {
            "reservationId": f"rsv_o{number}",
            "rooms": [f"rmu_{room}"],
            "guest": {"id": f"gst_o{number}"},
        }
        await house.publish(f"evt_o{number}", **stay)
        await asyncio.sleep(8)


def _others(house, busy):
    return [asyncio.ensure_future(_business_as_usual(house))] if busy else []


@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "busy"])
def test_a_group_whose_key_cannot_be_taken_back_is_alarmed_within_minutes(tmp_path, busy):
    """A §8.3: a failed revoke at the vendor immediately raises a security alert."""

    async def scenario(house):
        await _group_leaves(house)
        others = _others(house, busy)
        await asyncio.sleep(5 * 60)
        for each in others:
            each.cancel()
        assert house.logged("ALERT") != []

    play(tmp_path, scenario)


@pytest.mark.parametrize("busy", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["quiet", "busy"])
def test_doors_that_are_well_are_emptied_though_others_hang(tmp_path, busy):
    """Two of the twelve doors could be emptied at once."""

    async def scenario(house):
        await _group_leaves(house)
        others = _others(house, busy)
        await asyncio.sleep(60 * 60)
        for each in others:
            each.cancel()
        assert await house.doors_with_keys([311, 312]) == []

    play(tmp_path, scenario)


def test_a_group_of_sixty_gets_its_key_from_locks_that_are_well_but_slow(tmp_path):
    """Five seconds a lock are usual; no call is refused, none is lost."""
    rooms = range(301, 361)

    async def scenario(house):
        await house.steer("PUT", "latency", cloudMs=[150, 400], gatewayMs=[4000, 7000])
        await house.publish("evt_1", rooms=[f"rmu_{room}" for room in rooms])
        await asyncio.sleep(30 * 60)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        assert len(await house.doors_with_keys(rooms)) == 60

    play(tmp_path, scenario, rooms=rooms)
