"""A guest who does not come loses their key when policy says, and has it again when they do (B §3)."""

import asyncio
import itertools

import orjson
import pytest

from infra.local.simulation.loop import BEGINNING
from tests.support.changed_stays import LONGER, booked, ordered, pins, states
from tests.support.sample_hotel import play

MINUTE, HOUR = 60, 3600
MISSED, CAME = "2026-03-01T09:00:05Z", "2026-03-01T09:00:06Z"


async def waits_for_guests(house, hours):
    await house.policy(noShowSuspendAfterHours=hours)


async def until(house, hours, minutes):
    """Wait until so long after the fleet's beginning."""
    then = hours * HOUR + minutes * MINUTE
    await asyncio.sleep(then - (house.fleet.platform.clock.now() - BEGINNING).total_seconds())


async def facts(house, word):
    rows = (await house.documents("outbox")).values()
    return [orjson.loads(row["body"])["data"] for row in rows if row["subject"].split(".")[-2] == word]


def test_no_show_reservation_no_show_v1_suspends_at_once_where_policy_waits_no_hour(tmp_path):
    async def scenario(house):
        key, pin = await booked(house)
        await house.publish("evt_2", "no_show", time=MISSED)
        await asyncio.sleep(30)
        assert (await states(house), await pins(house, "101"), await pins(house, "front")) == (
            ["suspended"],
            [],
            [],
        )
        (told,) = await facts(house, "suspended")
        assert told["reason"] == "no_show"
        await house.publish("evt_3", "checked_in", time=CAME)
        await asyncio.sleep(30)
        assert (await states(house), await pins(house, "101")) == (["active"], [pin])
        (told,) = await facts(house, "unsuspended")
        assert (told["reason"], told["unsuspendedBy"]) == ("no_show", "saga")
        assert await house.told(key) == ["requested", "pending", "issued", "suspended", "unsuspended"]

    play(tmp_path, scenario)


def test_no_show_rests_at_the_minute_policy_names_by_the_policy_of_that_time(tmp_path):
    async def scenario(house):
        await waits_for_guests(house, 1)
        _, pin = await booked(house)
        await house.publish("evt_2", "no_show", time=MISSED)
        await until(house, 0, 40)
        await waits_for_guests(house, 2)
        await until(house, 2, 0)
        assert (await states(house), await pins(house, "101")) == (["active"], [pin])
        await until(house, 2, 2)
        assert (await states(house), await pins(house, "101")) == (["suspended"], [])
        (record,) = (await house.documents("reservations")).values()
        assert (record["holds"], record["planned"]) == (["no_show"], [])
        await ordered(house, "release-stay", "no_show")
        assert await pins(house, "101") == [pin]
        (told,) = await facts(house, "unsuspended")
        assert told["unsuspendedBy"] == "usr_clerk"
        await until(house, 5, 0)
        assert await states(house) == ["active"]  # what a person decided is not planned again

    play(tmp_path, scenario)


SINCE = {
    "checked_in": {},
    "dates_changed": {"validUntil": LONGER},
    "confirmed": {"version": 2},
}


@pytest.mark.parametrize("word", SINCE)
def test_guest_of_whom_something_newer_is_heard_is_not_shut_out(tmp_path, word):
    """In whichever order the two words come, and whether the keys rest by then or are to rest later."""

    async def scenario(house):
        await waits_for_guests(house, 1)
        _, pin = await booked(house)
        for number, order in enumerate(itertools.permutations(("no_show", word))):
            for said in order:
                time = f"2026-03-01T09:{'02' if said == 'no_show' else '03'}:0{number}Z"
                more = SINCE[word] if said == word else {}
                await house.publish(f"evt_{number}_{said}", said, time=time, **more)
                await asyncio.sleep(20)
        await until(house, 1, 10)
        assert (await states(house), await pins(house, "101")) == (["active"], [pin])
        assert "suspended" not in await house.told()

    play(tmp_path, scenario)


def test_change_of_a_stay_that_rests_wakes_its_key_as_the_stay_is_now(tmp_path):
    async def scenario(house):
        key, pin = await booked(house)
        await house.publish("evt_2", "no_show", time=MISSED)
        await asyncio.sleep(30)
        await house.publish("evt_3", "dates_changed", version=2, time=CAME, rooms=["rmu_102"])
        await asyncio.sleep(60)
        assert [await pins(house, door) for door in ("101", "102")] == [[], [pin]]
        assert (await house.told(key))[-2:] == ["unsuspended", "updated"]

    play(tmp_path, scenario)


def test_end_of_a_stay_ends_its_no_show_too(tmp_path):
    async def scenario(house):
        await booked(house)
        await house.publish("evt_2", "no_show", time=MISSED)
        await asyncio.sleep(30)
        await house.publish("evt_3", "cancelled", version=2, time=CAME)
        await asyncio.sleep(30)
        await house.publish("evt_4", version=3, time="2026-03-01T09:04:00Z")
        await asyncio.sleep(60)
        assert (await states(house))[-1] == "active"
        assert len(await pins(house, "101")) == 1

    play(tmp_path, scenario)


def test_key_of_a_guest_who_was_missed_before_their_booking_was_heard_comes_to_life_at_rest(tmp_path):
    async def scenario(house):
        await house.publish("evt_2", "no_show", time=MISSED)
        await house.publish("evt_1", version=1, time="2026-03-01T09:00:00Z")
        await asyncio.sleep(90)
        assert (await states(house), await pins(house, "101")) == (["suspended"], [])

    play(tmp_path, scenario)
