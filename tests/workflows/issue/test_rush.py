"""Many guests at one moment: a hotel's bookings are imported, or everybody checks out at eleven."""

import asyncio
from collections import Counter

import pytest

from tests.support.sample_hotel import play

ROOMS = ("101", "102", "203", "204")
NEXT_MONTH = {"validFrom": "2026-04-02T09:30:00Z", "validUntil": "2026-04-05T07:30:00Z"}
LIFELIKE = {"cloudMs": [150, 400], "gatewayMs": [2000, 4000]}


def _stay(number):
    room = ROOMS[number % 4]
    return {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}, "rooms": [f"rmu_{room}"]}


@pytest.mark.parametrize("guests", [30, pytest.param(150, marks=pytest.mark.soak)])
def test_bookings_that_come_at_one_moment_all_get_their_keys(tmp_path, guests):
    """Nothing is broken and nobody arrives before next month: there is time for every key."""

    async def scenario(house):
        await house.steer("PUT", "latency", **LIFELIKE)
        for number in range(guests):
            await house.publish(f"evt_{number}", **_stay(number), **NEXT_MONTH)
        await asyncio.sleep(2 * 3600)
        assert Counter(key["state"]["type"] for key in await house.keys()) == {"active": guests}

    play(tmp_path, scenario)


def test_a_checkout_hour_wakes_nobody_while_the_vendor_takes_every_key_back(tmp_path):
    """A key whose turn has not come is not a revoke that failed at the vendor (A §8.3)."""

    async def scenario(house):
        await house.steer("PUT", "latency", **LIFELIKE)
        for number in range(20):
            await house.publish(f"evt_{number}", **_stay(number))
            await asyncio.sleep(60)
        for number in range(20):
            stay = {"reservationId": f"rsv_{number}"}
            await house.publish(f"out_{number}", "checked_out", time="2026-03-01T11:00:00Z", **stay)
        await asyncio.sleep(10 * 60)
        states = {grant["grant"]["state"]["type"] for grant in (await house.documents("grants")).values()}
        assert states == {"removed"}
        assert house.logged("ALERT") == []

    play(tmp_path, scenario)
