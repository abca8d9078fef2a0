"""A key that failed is not the end of it: its stay is wanted still, and gets another by itself."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.sample_hotel import DOORS, play

ADD = "keyboardPwd/add"
IN_FIVE_DAYS = {"validFrom": "2026-03-06T09:30:00Z", "validUntil": "2026-03-09T07:30:00Z"}
TONIGHT = {"validFrom": "2026-03-01T10:00:00Z", "validUntil": "2026-03-02T07:30:00Z"}
MINUTE = 60


async def states(house, reservation="rsv_1"):
    return [key["state"]["type"] for key in await keys_of(house, reservation)]


async def keys_of(house, reservation):
    return [key for key in await house.keys() if key["core"]["holder"]["reservation_id"] == reservation]


async def failed(house, **data):
    """Let a key fail at a vendor that answers nothing: six tries, after whose long rests a sweep comes by."""
    await house.fault("http_500", ADD)
    await house.publish("evt_1", **data)
    await asyncio.sleep(14 * MINUTE)
    assert await states(house) == ["failed"]


async def tasks(house):
    return list(await house.documents("manual_tasks"))


def test_el6_minutes_of_an_outage_cost_no_key_of_a_stay_in_five_days(tmp_path):
    async def scenario(house):
        await failed(house, **IN_FIVE_DAYS)
        assert len(await tasks(house)) == 1
        await house.mend()
        await asyncio.sleep(17 * MINUTE)
        assert await states(house) == ["failed", "active"]
        first, second = await keys_of(house, "rsv_1")
        assert await house.told(first["core"]["id"]) == ["requested", "pending", "failed"]
        assert await house.told(second["core"]["id"]) == ["requested", "pending", "issued"]
        (stay,) = (await house.documents("reservations")).values()
        assert stay["credentials"] == [second["core"]["id"]]
        assert await tasks(house) == []
        assert [len(await house.keys_at(door)) for door in ("101", "front")] == [1, 1]
        assert len(house.logged("ALERT")) == 1

    play(tmp_path, scenario)


def test_2_2_a_vendor_that_answers_anybody_again_is_asked_again_at_the_next_look(tmp_path):
    async def scenario(house):
        await failed(house, **IN_FIVE_DAYS)
        await house.mend()
        other = {"reservationId": "rsv_2", "guest": {"id": "gst_2"}, "rooms": ["rmu_203"]}
        await house.publish("evt_2", **other)
        await asyncio.sleep(6 * MINUTE)
        assert await states(house) == ["failed", "active"]

    play(tmp_path, scenario)


def test_el4_a_guest_of_a_full_lock_gets_the_place_that_comes_free(tmp_path):
    async def scenario(house):
        other = {"reservationId": "rsv_0", "guest": {"id": "gst_0"}, "rooms": ["rmu_203"]}
        await house.publish("evt_0", **other)
        await asyncio.sleep(MINUTE)
        await house.fault("errcode:-4056", ADD)
        await house.publish("evt_1", **IN_FIVE_DAYS)
        await asyncio.sleep(3 * MINUTE)
        assert await states(house) == ["failed"]
        await house.mend()
        await house.publish("evt_3", "cancelled", reservationId="rsv_0", time="2026-03-01T11:00:00Z")
        await asyncio.sleep(6 * MINUTE)
        assert await states(house) == ["failed", "active"]

    play(tmp_path, scenario)


def test_2_2_a_guest_at_the_door_is_asked_for_each_quarter_of_an_hour_until_the_stay_ends(tmp_path):
    async def scenario(house):
        await house.fault("errcode:-2025", ADD)
        await house.publish("evt_1", **TONIGHT)
        await asyncio.sleep(2 * 3600)
        told = await states(house)
        assert set(told) == {"failed"}
        assert 7 <= len(told) <= 9
        assert len(await tasks(house)) == 1
        # Told of the first, and when the stay began: not each quarter of an hour.
        assert len(house.logged("ALERT")) == 2
        await house.mend()
        await asyncio.sleep(15 * MINUTE)
        assert (await states(house))[len(told) :] == ["active"]

    play(tmp_path, scenario)


@pytest.mark.soak
def test_2_2_a_far_stay_is_asked_for_seldom_and_a_day_and_two_hours_before_it_in_any_case(tmp_path):
    async def scenario(house):
        await house.fault("errcode:-2025", ADD)
        await house.publish("evt_1", validFrom="2026-03-02T12:00:00Z", validUntil="2026-03-03T07:30:00Z")
        begins = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
        await asyncio.sleep(25.5 * 3600)
        made = [key["core"]["plan"]["made"][0]["at"] for key in await keys_of(house, "rsv_1")]
        asked = [datetime.fromisoformat(at) for at in made]
        for before in (timedelta(hours=24), timedelta(hours=2)):
            assert any(timedelta(0) <= at - (begins - before) <= timedelta(minutes=2) for at in asked)
        assert len(asked) <= 12
        await house.mend()
        await asyncio.sleep(15 * MINUTE)
        assert (await states(house))[-1] == "active"

    play(tmp_path, scenario)


@pytest.mark.parametrize("subject", ["cancelled", "checked_out"])
def test_a_stay_that_is_over_gets_no_other_key(tmp_path, subject):
    async def scenario(house):
        await failed(house, **IN_FIVE_DAYS)
        await house.publish("evt_2", subject, time="2026-03-01T11:00:00Z")
        await house.mend()
        await asyncio.sleep(2 * 3600)
        assert await states(house) == ["failed"]
        assert [entry.get("due_at") for entry in (await house.documents("credentials")).values()] == [None]

    play(tmp_path, scenario)


def test_a_key_failed_for_want_of_a_lock_is_requested_anew_when_its_room_has_one(tmp_path):
    async def scenario(house):
        await house.steer("PATCH", f"locks/{DOORS['101']}", frozen=True)
        await house.publish("evt_1", **IN_FIVE_DAYS)
        await asyncio.sleep(3 * MINUTE)
        assert await states(house) == ["failed"]
        await house.hang("102", "101")
        await asyncio.sleep(20 * MINUTE)
        assert (await states(house))[-1] == "active"
        assert len(await house.keys_at("102")) == 1

    play(tmp_path, scenario)


def test_copy_that_failed_is_made_anew_as_a_copy_which_voids_nobody_s_key(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", partySize=2, **IN_FIVE_DAYS)
        await house.keys_active(1)
        (own,) = await keys_of(house, "rsv_1")
        await house.fault("http_500", ADD)
        body = {"tenant": "tnt_silk", "key": own["core"]["id"], "by": "usr_7"}
        assert (await house.on.send("copy-key", body, caller="operator"))[0] == 200
        await asyncio.sleep(14 * MINUTE)
        assert await states(house) == ["active", "failed"]
        await house.mend()
        await asyncio.sleep(17 * MINUTE)
        keys = await keys_of(house, "rsv_1")
        assert [(key["core"]["role"], key["state"]["type"]) for key in keys] == [
            ("first", "active"),
            ("copy", "failed"),
            ("copy", "active"),
        ]
        (stay,) = (await house.documents("reservations")).values()
        assert stay["credentials"] == [key["core"]["id"] for key in (keys[0], keys[2])]

    play(tmp_path, scenario)
