"""Two bookings of one room at one time: the later joins, or is refused by policy; never silently both."""

import asyncio

import orjson
import pytest

from tests.support.sample_hotel import play

HERS = {"reservationId": "rsv_a", "guest": {"id": "gst_a"}}
HIS = {"reservationId": "rsv_b", "guest": {"id": "gst_b"}}
OVERLAPPING = {"validFrom": "2026-03-04T09:30:00Z", "validUntil": "2026-03-07T07:30:00Z"}
BACK_TO_BACK = {"validFrom": "2026-03-05T07:30:00Z", "validUntil": "2026-03-07T07:30:00Z"}


async def both(house, **later):
    await house.publish("evt_1", **HERS)
    await house.keys_active(1)
    await house.publish("evt_2", **{**HIS, **later})
    await house.settled()


async def roles(house):
    return [
        each["role"] for each in sorted((key["core"] for key in await house.keys()), key=lambda c: c["id"])
    ]


def warned(core):
    return [each["code"] for each in core["warnings"]]


def test_second_booking_of_a_room_at_one_time_joins_and_both_guests_get_in(tmp_path):
    async def scenario(house):
        await both(house, **OVERLAPPING)
        await house.keys_active(2)
        first, second = (key["core"] for key in await house.keys())
        assert (first["role"], warned(first)) == ("first", [])
        assert (second["role"], warned(second)) == ("joiner", ["ROOM_SHARED"])
        assert second["warnings"][0]["detail"] == "rmu_101 is also that of rsv_a at its time"
        rows = (await house.documents("outbox")).values()
        issued = [orjson.loads(row["body"])["data"] for row in rows if ".issued." in row["subject"]]
        assert [each.get("setRole", "first") for each in issued] == ["first", "joiner"]
        assert [each["code"] for each in issued[1]["warnings"]] == ["ROOM_SHARED"]
        assert len({row["code"] for row in await house.keys_at("101")}) == 2

    play(tmp_path, scenario)


def test_second_booking_is_refused_where_the_policy_wants_that_and_made_once_the_room_is_free(tmp_path):
    async def scenario(house):
        await house.policy(sharedRooms="refuse")
        await both(house, **OVERLAPPING)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        (refused,) = house.quarantined()
        assert refused["field"] == "data.rooms"
        assert "rmu_101 is that of rsv_a at a time of this stay" in refused["reason"]
        await house.publish("evt_3", "cancelled", time="2026-03-01T10:00:00Z", reservationId="rsv_a")
        await asyncio.sleep(60)
        await house.publish("evt_2", **{**HIS, **OVERLAPPING})  # the same message, replayed
        await house.keys_active(1)
        assert await roles(house) == ["first", "first"]

    play(tmp_path, scenario)


def test_stay_is_not_moved_into_a_room_that_another_has_where_the_policy_refuses(tmp_path):
    async def scenario(house):
        await house.policy(sharedRooms="refuse")
        await both(house, rooms=["rmu_102"])
        moved = {"reservationId": "rsv_b", "rooms": ["rmu_101"], "version": 2}
        await house.publish("evt_3", "dates_changed", time="2026-03-01T09:30:00Z", **moved)
        await asyncio.sleep(60)
        assert len(await house.keys_at("101")) == 1
        (refused,) = house.quarantined()
        assert refused["field"] == "data.rooms"

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("later", "policy"),
    [(BACK_TO_BACK, "refuse"), ({**OVERLAPPING, "rooms": ["rmu_102"]}, "refuse")],
    ids=["after it", "in another room"],
)
def test_stay_that_shares_no_time_of_a_room_has_it_alone(tmp_path, later, policy):
    async def scenario(house):
        await house.policy(sharedRooms=policy)
        await both(house, **later)
        await house.keys_active(2)
        assert await roles(house) == ["first", "first"]
        assert [warned(key["core"]) for key in await house.keys()] == [[], []]

    play(tmp_path, scenario)


def test_same_guest_s_second_booking_of_the_room_joins_though_the_policy_refuses_others(tmp_path):
    async def scenario(house):
        await house.policy(sharedRooms="refuse")
        await both(house, **{**OVERLAPPING, "guest": {"id": "gst_a"}})
        await house.keys_active(2)
        assert await roles(house) == ["first", "joiner"]

    play(tmp_path, scenario)


def test_same_guest_s_booking_beside_hers_and_another_s_is_refused_by_the_other_s(tmp_path):
    async def scenario(house):
        await house.policy(sharedRooms="refuse")
        hers = {"validFrom": "2026-03-02T09:30:00Z", "validUntil": "2026-03-04T07:30:00Z"}
        his = {"validFrom": "2026-03-04T09:30:00Z", "validUntil": "2026-03-06T07:30:00Z"}
        await house.publish("evt_1", **{**HERS, **hers})
        await house.publish("evt_2", **{**HIS, **his})
        await house.keys_active(2)
        again = {"reservationId": "rsv_c", "guest": {"id": "gst_a"}, "validUntil": his["validUntil"]}
        await house.publish("evt_3", **again)
        await house.settled()
        (refused,) = house.quarantined()
        assert "rmu_101 is that of rsv_b at a time of this stay" in refused["reason"]

    play(tmp_path, scenario)


def test_key_that_follows_its_guest_into_another_s_room_says_so(tmp_path):
    async def scenario(house):
        await both(house, rooms=["rmu_102"])
        moved = {"reservationId": "rsv_b", "rooms": ["rmu_101"], "version": 2}
        await house.publish("evt_3", "dates_changed", time="2026-03-01T09:30:00Z", **moved)
        await asyncio.sleep(60)
        hers, his = (key["core"] for key in await house.keys())
        assert (hers["rooms"], his["rooms"]) == (["rmu_101"], ["rmu_101"])
        assert warned(his) == ["ROOM_SHARED"]

    play(tmp_path, scenario)
