"""A clock that was ahead is put right: what nobody uses is free, and tries are still counted, with an end."""

import asyncio
from collections import Counter
from datetime import timedelta

import pytest

from tests.support.large_hotel import Wing, refusal
from tests.support.large_hotel import play as play_in
from tests.support.sample_hotel import play

FLOOR = range(301, 331)
LATER = "2026-03-01T11:00:00Z"
LONG = {"validFrom": "2026-03-01T09:00:00Z", "validUntil": "2026-03-08T09:00:00Z"}


def turn(house, by):
    """Set the fleet's clock by so much."""
    house.fleet.platform.clock._beginning += by


@pytest.mark.parametrize("ahead", [timedelta(minutes=5), timedelta(days=1)])
def test_a_key_is_taken_back_at_once_though_the_clock_was_ahead_when_it_was_made(tmp_path, ahead):
    async def scenario(house):
        turn(house, ahead)
        await house.publish("evt_1", validUntil="2026-03-09T07:30:00Z")
        await asyncio.sleep(60)
        assert len(await house.keys_at("101")) == 1
        turn(house, -ahead)
        await house.publish("evt_2", "checked_out", time=LATER)
        await asyncio.sleep(60)
        assert await house.keys_at("101") == []

    play(tmp_path, scenario)


def test_a_call_nobody_heard_of_before_the_clock_was_put_right_delays_the_end_by_minutes(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        for operation in ("keyboardPwd/add", "lock/listKeyboardPwd"):
            await house.fault("timeout_after_success", operation)
        turn(house, timedelta(days=1))
        await house.publish("evt_1", validUntil="2026-03-09T07:30:00Z")
        await asyncio.sleep(60)
        turn(house, -timedelta(days=1))
        await asyncio.sleep(30)
        await house.mend()
        await house.publish("evt_2", "cancelled", time=LATER)
        await asyncio.sleep(600)
        (grant,) = (await house.documents("grants")).values()
        assert grant["grant"]["state"]["type"] == "removed"

    play(tmp_path, scenario)


class Unwilling(Wing):
    """Every lock takes four seconds to refuse one thing."""

    refused = "delete"

    def __init__(self, *rest):
        super().__init__(*rest)
        self.asked = Counter()

    async def at(self, operation, room, call):
        if operation == self.refused:
            self.asked[room] += 1
            await asyncio.sleep(4)
            return refusal(-3037)
        return None


class Shut(Unwilling):
    """No lock takes a key."""

    refused = "add"


@pytest.mark.parametrize("back", [timedelta(0), timedelta(hours=1)])
def test_tries_to_take_a_group_s_key_back_are_counted_and_each_asks_every_lock(tmp_path, back):
    async def scenario(house):
        await house.publish("evt_1", rooms=[f"rmu_{room}" for room in FLOOR], **LONG)
        await asyncio.sleep(300)
        await house.publish("evt_2", "checked_out", time=LATER)
        await asyncio.sleep(40)
        turn(house, -back)
        await asyncio.sleep(40 * 60)
        (entry,) = (await house.documents("credentials")).values()
        assert entry["saga"]["tries"] == 6
        assert set(house.asked.values()) <= {6, 7}

    play_in(tmp_path, scenario, rooms=FLOOR, hotel=Unwilling)


@pytest.mark.parametrize("back", [timedelta(0), timedelta(hours=1)])
def test_attempts_at_a_group_s_key_each_ask_every_lock(tmp_path, back):
    async def scenario(house):
        await house.publish("evt_1", rooms=[f"rmu_{room}" for room in FLOOR], **LONG)
        await asyncio.sleep(40)
        turn(house, -back)
        # What was due by the clock as it was is waited for by the clock as it is.
        # Each attempt is longer than a short trouble, and so each rest is parked until the next sweep.
        await asyncio.sleep(25 * 60 + 1.1 * back.total_seconds())
        key, *anew = await house.keys()
        assert key["state"]["type"] == "failed"
        assert set(house.asked.values()) <= {*range(6, 8 + 7 * len(anew))}

    play_in(tmp_path, scenario, rooms=FLOOR, hotel=Shut)
