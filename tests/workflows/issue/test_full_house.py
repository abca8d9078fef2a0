"""A house full of guests whose stays have begun, at a healthy vendor that is slow (trial EL3)."""

import asyncio
from collections import Counter

import pytest

from tests.support.sample_hotel import play

ROOMS = ("101", "102", "203", "204")
IN_HOUSE = {"validFrom": "2026-03-01T08:00:00Z", "validUntil": "2026-03-05T07:30:00Z"}


@pytest.mark.parametrize(
    ("guests", "seconds"),
    [
        (20, 8),
        pytest.param(80, 8, marks=pytest.mark.soak),
        pytest.param(240, 3, marks=[pytest.mark.soak, pytest.mark.timeout(600)]),
    ],
    ids=["few", "some", "whole"],
)
def test_el3_every_guest_in_the_house_gets_a_key_though_the_gateways_are_slow(tmp_path, guests, seconds):
    async def scenario(house):
        await house.steer("PUT", "latency", cloudMs=[150, 400], gatewayMs=[seconds * 1000, seconds * 1000])
        for number in range(guests):
            stay = {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}}
            await house.publish(f"evt_{number}", **stay, rooms=[f"rmu_{ROOMS[number % 4]}"], **IN_HOUSE)
        await asyncio.sleep(3600)
        keys = await house.keys()
        assert Counter(key["state"]["type"] for key in keys) == {"active": guests}
        # Nobody was refused, and so nothing was an attempt but the one that made the key.
        assert {len(key["core"]["plan"]["made"]) for key in keys} == {1}

    play(tmp_path, scenario)
