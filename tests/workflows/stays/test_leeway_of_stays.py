"""Keys open before and after their stays as the policy says, and never in anybody else's stay."""

import asyncio
from datetime import UTC, datetime

import pytest

from tests.support.sample_hotel import play

LEEWAY = {"earlyArrivalMinutes": 120, "lateDepartureMinutes": 60}
FIRST = {"validFrom": "2026-03-02T09:30:00Z", "validUntil": "2026-03-04T07:30:00Z"}
MINUTE = 60


def at(text):
    return datetime.fromisoformat(f"2026-03-{text}:00").replace(tzinfo=UTC)


async def windows(house, door="101"):
    """Return when each key at a door opens, in order."""
    rows = [row["window"] for row in await house.keys_at(door)]
    found = [(row["start"] / 1000, row["end"] / 1000) for row in rows]
    return sorted(tuple(datetime.fromtimestamp(each, UTC) for each in pair) for pair in found)


async def book(house, number, **data):
    stay = {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}}
    await house.publish(f"evt_{number}", **{**stay, **FIRST, **data})
    await house.settled()


def test_key_opens_early_and_late_as_the_policy_says_and_its_stay_is_what_was_booked(tmp_path):
    async def scenario(house):
        await house.policy(**LEEWAY)
        await book(house, 1)
        for door in ("101", "front"):
            assert await windows(house, door) == [(at("02T07:30"), at("04T08:30"))]
        (key,) = await house.keys()
        assert key["core"]["window"]["start"] == "2026-03-02T09:30:00Z"
        (said,) = key["core"]["warnings"]
        assert said["code"] == "OPENS_BEYOND_STAY"
        assert said["detail"].startswith("opens from 2026-03-02 07:30 to 2026-03-04 08:30 UTC")
        await house.publish("evt_9", "dates_changed", validUntil="2026-03-05T07:30:00Z", version=2)
        await asyncio.sleep(30)
        assert await windows(house) == [(at("02T07:30"), at("05T08:30"))]
        hold = {"tenant": "tnt_silk", "reservation": "rsv_1", "reason": "fraud_review", "by": "usr_7"}
        for order in ("hold-stay", "release-stay"):
            await house.on.send(order, hold, caller="operator")
            await asyncio.sleep(30)
        assert await windows(house) == [(at("02T07:30"), at("05T08:30"))]

    play(tmp_path, scenario)


NEXT = {"validFrom": "2026-03-04T09:00:00Z", "validUntil": "2026-03-06T07:30:00Z"}
SOON = {"validFrom": "2026-03-04T08:00:00Z", "validUntil": "2026-03-06T07:30:00Z"}
AT_ONCE = {"validFrom": "2026-03-04T07:30:00Z", "validUntil": "2026-03-06T07:30:00Z"}


@pytest.mark.parametrize(
    ("following", "ends", "begins"),
    [
        (NEXT, "04T08:30", "04T08:30"),
        (SOON, "04T08:00", "04T08:00"),
        (AT_ONCE, "04T07:30", "04T07:30"),
    ],
    ids=["a gap of both leeways", "a stay within the leeway", "no gap at all"],
)
def test_leeway_of_one_ends_where_the_next_guest_s_key_opens(tmp_path, following, ends, begins):
    async def scenario(house):
        await house.policy(**LEEWAY)
        await book(house, 1)
        await book(house, 2, **following)
        await asyncio.sleep(2 * MINUTE)
        assert await windows(house) == [(at("02T07:30"), at(ends)), (at(begins), at("06T08:30"))]
        assert [key["core"]["role"] for key in await house.keys()] == ["first", "first"]
        assert {key["state"]["type"] for key in await house.keys()} == {"active"}

    play(tmp_path, scenario)


def test_guest_before_is_booked_last_and_the_later_one_s_early_key_makes_way(tmp_path):
    async def scenario(house):
        await house.policy(**LEEWAY)
        await book(house, 2, **AT_ONCE)
        await book(house, 1)
        await asyncio.sleep(2 * MINUTE)
        assert await windows(house) == [(at("02T07:30"), at("04T07:30")), (at("04T07:30"), at("06T08:30"))]

    play(tmp_path, scenario)


def test_leeway_switched_off_is_taken_back_where_the_next_guest_comes(tmp_path):
    async def scenario(house):
        await house.policy(**LEEWAY)
        await book(house, 1)
        await house.policy(earlyArrivalMinutes=0, lateDepartureMinutes=0)
        await asyncio.sleep(40)
        assert await windows(house) == [(at("02T07:30"), at("04T08:30"))], "a policy moves no key"
        await book(house, 2, **AT_ONCE)
        await asyncio.sleep(2 * MINUTE)
        assert await windows(house) == [(at("02T09:30"), at("04T07:30")), (at("04T07:30"), at("06T07:30"))]

    play(tmp_path, scenario)


def test_neighbour_whose_lock_would_not_is_asked_until_it_has_heard(tmp_path):
    async def scenario(house):
        await house.policy(**LEEWAY)
        await book(house, 1)
        await house.fault("errcode:-3003", "keyboardPwd/change")
        await book(house, 2, **AT_ONCE)
        await asyncio.sleep(2 * MINUTE)
        assert (at("02T07:30"), at("04T08:30")) in await windows(house)
        assert [kept["wish"] for kept in (await house.documents("grants")).values() if not kept["standing"]]
        await house.mend()
        await asyncio.sleep(20 * MINUTE)
        assert await windows(house) == [(at("02T07:30"), at("04T07:30")), (at("04T07:30"), at("06T08:30"))]

    play(tmp_path, scenario)


APART = [(at("02T07:30"), at("04T07:30")), (at("04T07:30"), at("06T08:30"))]


@pytest.mark.parametrize("turn", [1, -1], ids=["the guest before is asked for first", "the guest after"])
def test_neighbours_asked_for_at_one_time_open_in_each_other_s_stay_for_a_minute_at_most(tmp_path, turn):
    async def scenario(house):
        await house.unmap("front")  # else both would stand in line for that lock first
        await house.policy(**LEEWAY)
        await house.fault("slow", "keyboardPwd/add", seconds=6)
        for number, stay in [(1, FIRST), (2, AT_ONCE)][::turn]:
            named = {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}}
            await house.publish(f"evt_{number}", **named, **stay)
            await asyncio.sleep(3)
        await house.settled()
        assert await windows(house) != APART, "neither could know how the other would stand"
        await asyncio.sleep(2 * MINUTE)
        assert await windows(house) == APART

    play(tmp_path, scenario)


def test_leeways_of_two_asked_for_at_one_time_meet_in_nobody_s_stay_and_one_makes_way(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.policy(**LEEWAY)
        await house.fault("slow", "keyboardPwd/add", seconds=6)
        for number, stay in [(1, FIRST), (2, NEXT)]:
            named = {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}}
            await house.publish(f"evt_{number}", **named, **stay)
            await asyncio.sleep(3)
        await house.settled()
        await asyncio.sleep(2 * MINUTE)
        assert await windows(house) == [(at("02T07:30"), at("04T08:30")), (at("04T08:30"), at("06T08:30"))]

    play(tmp_path, scenario)


def test_stay_changed_while_the_next_guest_is_asked_for_ends_where_theirs_begins(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.policy(**LEEWAY)
        await book(house, 1, validUntil="2026-03-03T07:30:00Z")
        await house.fault("slow", "keyboardPwd/change", seconds=6)
        longer = {"reservationId": "rsv_1", "guest": {"id": "gst_1"}, "validUntil": FIRST["validUntil"]}
        await house.publish("evt_9", "dates_changed", **longer, version=2)
        await asyncio.sleep(3)
        await book(house, 2, **AT_ONCE)
        await asyncio.sleep(2 * MINUTE)
        assert await windows(house) == APART

    play(tmp_path, scenario)
