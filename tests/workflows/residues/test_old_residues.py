"""Residues that are asked for hour by hour: whose turn it is, is not forgotten after days."""

import asyncio

import pytest

from tests.support.large_hotel import Wing, play, refusal

ROOMS = (301, 302, 303, 304, 311)
FLOOR = range(301, 313)
AWAY = -3002


class Waits(Wing):
    """A hotel with four doors that are slow to say that they are offline, and one that may come back."""

    hangs = offline = False

    async def at(self, operation, room, call):
        """Say that the gateway is offline."""
        if operation == "delete" and self.offline and room == 311:
            return refusal(AWAY)
        if operation == "delete" and self.hangs and room in ROOMS[:4]:
            await asyncio.sleep(10)
            return refusal(AWAY)
        return None


async def _left_with_residues(house, hours, patience):
    stay = {"validFrom": "2026-03-01T09:00:00Z", "validUntil": "2026-03-20T07:30:00Z"}
    await house.publish("evt_1", rooms=[f"rmu_{room}" for room in ROOMS], **stay)
    await asyncio.sleep(60)
    assert len(await house.doors_with_keys(ROOMS)) == 5
    house.hangs = True
    house.offline = True
    await house.publish("evt_2", "checked_out", time="2026-03-01T11:00:00Z")
    await asyncio.sleep(hours * 3600)
    house.offline = False
    await asyncio.sleep(patience * 3600)
    assert await house.doors_with_keys([311]) == []


@pytest.mark.parametrize(
    ("hours", "patience"),
    [(9, 3), pytest.param(72, 24, marks=pytest.mark.soak)],
    ids=["half-a-day", "three-days"],
)
def test_after_days_a_door_that_is_well_again_is_emptied(tmp_path, hours, patience):
    play(tmp_path, lambda house: _left_with_residues(house, hours, patience), FLOOR, Waits)
