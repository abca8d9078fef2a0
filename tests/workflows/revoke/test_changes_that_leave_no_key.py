"""A stay is changed so that it can have no key any more: then no key opens more than it still includes."""

import asyncio
from datetime import timedelta

import pytest

from tests.support.sample_hotel import device_at, play

LATER = "2026-03-01T12:00:00Z"
IN_HOUSE = {"validFrom": "2026-02-28T09:30:00Z", "validUntil": "2026-03-02T07:30:00Z"}
TO_COME = {"validFrom": "2026-03-20T09:30:00Z", "validUntil": "2026-03-22T07:30:00Z"}
UNMAPPED = {"rooms": ["rmu_999"]}


async def cut_short(house, ends, version=1):
    """Let a guest be in the house, and then tell that the stay ended at another time."""
    now = house.fleet.platform.clock.now()
    start = (now - timedelta(days=2)).isoformat()
    booked = {"validFrom": start, "validUntil": (now + timedelta(days=5)).isoformat()}
    await house.publish("evt_1", version=version, **booked)
    await asyncio.sleep(5)
    assert len(await house.keys_at("101")) == 1
    short = {"validFrom": start, "validUntil": (now + ends).isoformat()}
    await house.publish("evt_2", version=version + 1, time=LATER, **short)


async def stay_of(house):
    return (await house.documents("reservations"))["rsv_1"]


def test_a_stay_cut_short_to_an_end_that_is_just_past_leaves_no_key(tmp_path):
    async def scenario(house):
        await cut_short(house, timedelta(minutes=-1))
        await asyncio.sleep(60)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("revoked", "checkout")
        assert await house.keys_at("101") == []
        stay = await stay_of(house)
        assert (stay["status"], stay["credentials"]) == ("checked_out", [])
        assert [heard["outcome"] for heard in stay["heard"]] == ["applied", "refused"]
        (notes,) = house.quarantined()
        assert (notes["field"], "in the past" in notes["reason"]) == ("data.validUntil", True)
        assert house.logged("ALERT") == []

    play(tmp_path, scenario)


def test_an_end_that_is_past_is_set_aside_each_time_it_is_told_and_ends_the_stay_once(tmp_path):
    async def scenario(house):
        await cut_short(house, timedelta(minutes=-1))
        await asyncio.sleep(60)
        before = await house.documents("credentials")
        await house.fleet.bus.dead_letters.replay([house.fleet.bus.dead_letters.page()[0].id])
        await asyncio.sleep(60)
        assert len(house.quarantined()) == 1
        assert await house.documents("credentials") == before
        assert [heard["event_id"] for heard in (await stay_of(house))["heard"]] == ["evt_1", "evt_2"]

    play(tmp_path, scenario)


@pytest.mark.parametrize(("version", "status", "keys"), [(2, "checked_out", 0), (4, "confirmed", 1)])
def test_only_news_of_a_stay_whose_end_is_past_makes_it_a_stay_again(tmp_path, version, status, keys):
    async def scenario(house):
        await cut_short(house, timedelta(minutes=-1), version=2)
        await asyncio.sleep(60)
        await house.publish("evt_3", version=version, time="2026-03-01T13:00:00Z")
        await asyncio.sleep(60)
        assert (await stay_of(house))["status"] == status
        assert len(await house.keys_at("101")) == keys

    play(tmp_path, scenario)


def test_the_checkout_that_follows_an_end_that_is_past_changes_nothing(tmp_path):
    async def scenario(house):
        await cut_short(house, timedelta(minutes=-1))
        await asyncio.sleep(60)
        before = await house.documents("credentials")
        await house.publish("evt_3", "checked_out", version=3, time="2026-03-01T13:00:00Z")
        await asyncio.sleep(60)
        assert (await house.documents("credentials"), (await stay_of(house))["status"]) == (
            before,
            "checked_out",
        )

    play(tmp_path, scenario)


def test_a_guest_who_moved_to_a_room_without_a_lock_does_not_open_the_room_they_left(tmp_path):
    """The old room is sold to somebody else, who gets a key; the guest who left must not open it."""

    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_2", version=2, time=LATER, **UNMAPPED)
        await asyncio.sleep(5)
        await house.publish("evt_3", version=1, reservationId="rsv_2", guest={"id": "gst_2"})
        await asyncio.sleep(600)
        assert len(await house.keys_at("101")) == 1
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked", "active"]
        stay = await stay_of(house)
        assert (stay["status"], stay["credentials"]) == ("confirmed", [])

    play(tmp_path, scenario)


@pytest.mark.parametrize(("booked", "alarms"), [(IN_HOUSE, 1), (TO_COME, 0)], ids=["in the house", "to come"])
@pytest.mark.parametrize("guest", ["gst_1", "gst_2"])
def test_a_key_that_ends_without_another_is_an_alarm_while_its_guest_is_in_the_house(
    tmp_path, booked, alarms, guest
):
    async def scenario(house):
        await house.publish("evt_1", version=1, **booked)
        await asyncio.sleep(5)
        await house.publish(
            "evt_2", version=2, time=LATER, **{**booked, **UNMAPPED}, guest={"id": guest, "displayName": "B"}
        )
        await asyncio.sleep(60)
        (key,) = await house.keys()
        assert key["state"]["type"] == "revoked"
        lines = house.logged("ALERT")
        assert len(lines) == alarms
        for line in lines:
            assert (line["message"], line["runbook"]) == (
                "MELMASTOON.LOCK.KEY_ISSUE_FAILED",
                "lock/key-issue",
            )
            assert (line["reservationId"], line["rooms"]) == ("rsv_1", ["rmu_101"])
            assert (line["field"], "map a lock" in line["remedy"]) == ("data.rooms[0]", True)

    play(tmp_path, scenario)


def test_a_stay_that_another_room_makes_impossible_keeps_what_it_has_until_it_can_be_replayed(tmp_path):
    async def scenario(house):
        lock = (await house.documents("devices"))[device_at("203")]
        await house.unmap("front")
        await house.unmap("203")
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_2", version=2, time=LATER, rooms=["rmu_101", "rmu_203"])
        await asyncio.sleep(60)
        (first,) = await house.keys()
        assert first["state"]["type"] == "active"
        assert (await stay_of(house))["credentials"] == [first["core"]["id"]]
        await house.map_again("203", lock)
        await house.fleet.bus.dead_letters.replay([house.fleet.bus.dead_letters.page()[0].id])
        await asyncio.sleep(60)
        assert [key["state"]["type"] for key in await house.keys()] == ["active", "active"]
        assert (len(await house.keys_at("101")), len(await house.keys_at("203"))) == (2, 1)
        stay = await stay_of(house)
        assert [heard["outcome"] for heard in stay["heard"]] == ["applied", "applied"]
        assert (len(stay["credentials"]), stay["incarnation"]) == (2, 2)

    play(tmp_path, scenario)


def test_what_a_newer_confirmation_without_a_key_overtook_changes_nothing(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_3", version=3, time=LATER, **UNMAPPED)
        await asyncio.sleep(60)
        await house.publish("evt_2", version=2, time="2026-03-01T13:00:00Z", rooms=["rmu_102"])
        await house.publish("evt_2b", "cancelled", version=2, time="2026-03-01T13:00:00Z")
        await asyncio.sleep(60)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked"]
        assert (await stay_of(house))["status"] == "confirmed"

    play(tmp_path, scenario)


@pytest.mark.parametrize(("rooms", "tasks"), [(["rmu_999"], 0), (["rmu_101", "rmu_999"], 1)])
def test_the_task_to_make_a_key_by_hand_lasts_as_long_as_its_rooms_are_booked(tmp_path, rooms, tasks):
    async def scenario(house):
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1", version=1)
        await asyncio.sleep(20 * 60)
        assert len(await house.documents("manual_tasks")) == 1
        await house.publish("evt_2", version=2, time=LATER, rooms=rooms)
        await asyncio.sleep(60)
        assert len(await house.documents("manual_tasks")) == tasks
        await house.publish("evt_3", "cancelled", version=3, time="2026-03-01T13:00:00Z")
        await asyncio.sleep(60)
        assert await house.documents("manual_tasks") == {}

    play(tmp_path, scenario)
