"""A code that a lock computes by itself opens in its own guest's stay alone, whoever books when (trial ES4).

Nobody can end such a code while the gateway is away, so the doors themselves are asked, over time.
"""

import asyncio
from datetime import datetime, timedelta

import pytest

from tests.support.sample_hotel import DOORS, play
from tests.workflows.stays.test_backup_codes import kept

COMES, LEAVES = "2026-03-01T18:10:00Z", "2026-03-02T07:10:00Z"
"""Twenty to eleven at night, and to twelve, on the wall in Kabul: no whole hours there, nor in UTC."""
TEN_MINUTES = timedelta(minutes=10)


EITHER_FIRST = pytest.mark.parametrize(
    "booked_first",
    [pytest.param(True, id="ours first"), pytest.param(False, id="theirs first", marks=pytest.mark.soak)],
)


async def booked(house, number, comes, leaves, seconds=30):
    """Book room 101; return the code that its guest is told, the ledger being sure of it."""
    before = {row["code"] for row in await house.keys_at("101")}
    stay = {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}}
    await house.publish(f"evt_{number}", **stay, validFrom=comes, validUntil=leaves)
    await asyncio.sleep(seconds)
    keys = {
        each["core"]["holder"].get("reservation_id"): each["state"]["type"] for each in await house.keys()
    }
    assert keys[f"rsv_{number}"] == "active"
    (code,) = {row["code"] for row in await house.keys_at("101")} - before
    return code


async def until(house, moment):
    """Let time go on."""
    left = datetime.fromisoformat(moment) - house.fleet.platform.clock.now()
    await asyncio.sleep(left.total_seconds())


async def opens(house, code):
    """Say whether a code opens room 101 now."""
    return (await house.steer("POST", f"doors/{DOORS['101']}/try", pin=code))["opens"]


async def opened(house, code, first, last):
    """Return at which moments, every ten minutes, a code opens room 101."""
    await until(house, first)
    found = []
    while house.fleet.platform.clock.now() < datetime.fromisoformat(last):
        if await opens(house, code):
            found.append(house.fleet.platform.clock.now())
        await asyncio.sleep(TEN_MINUTES.total_seconds())
    return found


@pytest.fixture
def alone(tmp_path):
    """Play a scenario in a hotel whose room has one lock, its gateway being away."""

    def played(scenario):
        async def offline(house):
            await house.unmap("front")
            await house.steer("PATCH", "gateways/501", online=False)
            return await scenario(house)

        return play(tmp_path, offline)

    return played


@EITHER_FIRST
def test_es4_a_code_that_is_computed_is_shut_when_the_next_guest_comes_whoever_booked_first(
    alone, booked_first
):
    """On the hour it would open until eight o'clock; the next guest comes at ten past seven."""

    async def scenario(house):
        theirs = ("2", LEAVES, "2026-03-04T07:30:00Z")
        if not booked_first:
            await house.steer("PATCH", "gateways/501", online=True)
            await booked(house, *theirs)
            await house.steer("PATCH", "gateways/501", online=False)
        code = await booked(house, "1", "2026-03-01T09:30:00Z", LEAVES)
        if booked_first:
            await booked(house, *theirs)
        await until(house, "2026-03-01T10:00:00Z")
        assert await opens(house, code)
        moments = await opened(house, code, "2026-03-02T05:30:00Z", "2026-03-02T09:30:00Z")
        assert moments, "its guest loses less than the last hour"
        assert max(moments) < datetime.fromisoformat(LEAVES)

    alone(scenario)


@EITHER_FIRST
def test_es4_a_code_that_is_computed_is_shut_until_the_guest_before_has_left(alone, booked_first):
    async def scenario(house):
        theirs = ("2", "2026-03-01T11:00:00Z", COMES)
        if not booked_first:
            await booked(house, *theirs)
        code = await booked(house, "1", COMES, LEAVES)
        if booked_first:
            await booked(house, *theirs)
        moments = await opened(house, code, "2026-03-01T16:00:00Z", "2026-03-01T19:30:00Z")
        assert moments, "its guest waits for less than an hour"
        assert datetime.fromisoformat(COMES) <= min(moments)

    alone(scenario)


def test_es4_a_code_whose_window_was_spent_ends_sooner_and_not_in_the_next_stay(alone):
    """The same nights are booked and cancelled three times over: each code of theirs is used up."""

    async def scenario(house):
        for number in ("1", "2", "3"):
            await booked(house, number, "2026-03-01T09:30:00Z", LEAVES)
            await house.steer("PATCH", "gateways/501", online=True)
            gone = {"reservationId": f"rsv_{number}", "time": "2026-03-01T11:00:00Z"}
            await house.publish(f"evt_{number}0", "cancelled", **gone)
            await asyncio.sleep(180)
            assert await house.keys_at("101") == []
            await house.steer("PATCH", "gateways/501", online=False)
        code = await booked(house, "4", "2026-03-01T09:30:00Z", LEAVES)
        await booked(house, "5", LEAVES, "2026-03-04T07:30:00Z")
        moments = await opened(house, code, "2026-03-02T02:00:00Z", "2026-03-02T11:30:00Z")
        assert moments, "its guest loses less than the last four hours"
        assert max(moments) < datetime.fromisoformat(LEAVES)

    alone(scenario)


def test_backup_code_at_the_lock_is_nobody_who_lives_there(alone):
    async def scenario(house):
        await house.steer("PATCH", "gateways/501", online=True)
        await house.policy(backupCodes=True)
        await kept(house)
        await house.steer("PATCH", "gateways/501", online=False)
        code = await booked(house, "1", COMES, LEAVES)
        await until(house, "2026-03-01T20:00:00Z")
        assert await opens(house, code)

    alone(scenario)
