"""A stay is changed: its guest keeps the key that works, if it opens no more than the stay still includes."""

import asyncio

import pytest

from tests.support.sample_hotel import play

ADD = "keyboardPwd/add"
IN_HOUSE = {"validFrom": "2026-02-28T09:30:00Z", "validUntil": "2026-03-02T07:30:00Z"}
LONGER = {**IN_HOUSE, "validUntil": "2026-03-03T07:30:00Z"}
LATER, LATEST = "2026-03-01T11:00:00Z", "2026-03-01T12:00:00Z"
INCLUDED = {
    "a night longer": LONGER,
    "a room more": {**IN_HOUSE, "rooms": ["rmu_101", "rmu_102"]},
    "begun earlier": {**IN_HOUSE, "validFrom": "2026-02-27T09:30:00Z"},
    "told as of now": {**LONGER, "validFrom": "2026-03-01T09:00:00Z"},
}
EXCEEDED = {
    "a night shorter": {**IN_HOUSE, "validUntil": "2026-03-01T20:00:00Z"},
    "another room": {**LONGER, "rooms": ["rmu_102"]},
    "another guest": {**LONGER, "guest": {"id": "gst_2"}},
    "begins later": {**LONGER, "validFrom": "2026-03-01T15:00:00Z"},
}


async def booked(house, *, since=IN_HOUSE):
    await house.publish("evt_1", version=1, **since)
    await asyncio.sleep(5)
    assert len(await house.keys_at("101")) == 1


async def states(house):
    return [(key["state"]["type"], key["state"].get("reason")) for key in await house.keys()]


async def named(house):
    """Return the keys that the stay's record names."""
    return (await house.documents("reservations"))["rsv_1"]["credentials"]


def test_a_guest_who_stays_a_night_longer_keeps_a_key_that_works_until_there_is_a_new_one(tmp_path):
    async def scenario(house):
        await booked(house)
        await house.fault("http_500", ADD)  # deleting works
        await house.publish("evt_2", version=2, time=LATER, **LONGER)
        await asyncio.sleep(20 * 60)
        assert await states(house) == [("active", None), ("failed", "vendor_unreachable")]
        assert len(await house.keys_at("101")) == 1

    play(tmp_path, scenario)


@pytest.mark.parametrize("changed", INCLUDED.values(), ids=INCLUDED)
def test_what_is_within_the_changed_stay_goes_on_beside_the_new_key(tmp_path, changed):
    async def scenario(house):
        await booked(house)
        await house.publish("evt_2", version=2, time=LATER, **changed)
        await asyncio.sleep(60)
        assert await states(house) == [("active", None), ("active", None)]
        old, new = await house.keys()
        assert await named(house) == [new["core"]["id"], old["core"]["id"]]
        assert len({row["code"] for row in await house.keys_at("101")}) == 2

    play(tmp_path, scenario)


@pytest.mark.parametrize("changed", EXCEEDED.values(), ids=EXCEEDED)
def test_what_opens_more_than_the_changed_stay_is_ended_at_once(tmp_path, changed):
    async def scenario(house):
        await booked(house)
        await house.fault("http_500", ADD)
        await house.publish("evt_2", version=2, time=LATER, **changed)
        await asyncio.sleep(60)
        assert (await states(house))[0] == ("revoked", "replaced")
        assert await house.keys_at("101") == []
        (_, new) = await house.keys()
        assert await named(house) == [new["core"]["id"]]

    play(tmp_path, scenario)


def test_a_key_that_is_still_being_made_is_not_made_beside_the_next(tmp_path):
    async def scenario(house):
        await house.fault("http_500", ADD)
        await house.publish("evt_1", version=1, **IN_HOUSE)
        await asyncio.sleep(10)
        await house.mend()
        await house.publish("evt_2", version=2, time=LATER, **LONGER)
        await asyncio.sleep(300)
        assert await states(house) == [("failed", "replaced"), ("active", None)]
        assert len(await house.keys_at("101")) == 1

    play(tmp_path, scenario)


@pytest.mark.parametrize("subject", ["cancelled", "checked_out", "early_checkout"])
def test_the_end_of_a_changed_stay_ends_all_of_its_keys(tmp_path, subject):
    async def scenario(house):
        await booked(house)
        await house.publish("evt_2", version=2, time=LATER, **LONGER)
        await asyncio.sleep(10)
        await house.publish("evt_3", subject, version=3, time=LATEST)
        await asyncio.sleep(60)
        assert [state for state, _ in await states(house)] == ["revoked", "revoked"]
        assert await house.keys_at("101") == await house.keys_at("front") == []

    play(tmp_path, scenario)


def test_a_later_change_judges_what_was_kept_again(tmp_path):
    async def scenario(house):
        await booked(house)
        await house.publish("evt_2", version=2, time=LATER, **LONGER)
        await asyncio.sleep(10)
        short = {**IN_HOUSE, "validUntil": "2026-03-02T20:00:00Z"}  # within it: the first key, not the second
        await house.publish("evt_3", version=3, time=LATEST, **short)
        await asyncio.sleep(60)
        assert await states(house) == [("active", None), ("revoked", "replaced"), ("active", None)]
        first, _, third = await house.keys()
        assert await named(house) == [third["core"]["id"], first["core"]["id"]]
        await house.publish("evt_4", version=4, time="2026-03-01T13:00:00Z", **short, rooms=["rmu_102"])
        await asyncio.sleep(60)
        assert [state for state, _ in await states(house)] == ["revoked", "revoked", "revoked", "active"]
        assert await house.keys_at("101") == []

    play(tmp_path, scenario)


@pytest.mark.soak
def test_a_key_whose_own_time_is_over_is_not_kept(tmp_path):
    async def scenario(house):
        await booked(house)
        await house.publish("evt_2", version=2, time=LATER, **LONGER)
        await asyncio.sleep(36 * 3600)
        longest = {**IN_HOUSE, "validUntil": "2026-03-04T07:30:00Z"}
        await house.publish("evt_3", version=3, time="2026-03-02T12:00:00Z", **longest)
        await asyncio.sleep(60)
        first, second, third = await house.keys()
        assert await named(house) == [third["core"]["id"], second["core"]["id"]]
        assert first["state"]["type"] == "revoked"

    play(tmp_path, scenario)


def test_a_changed_stay_that_is_told_once_more_gets_no_third_key(tmp_path):
    async def scenario(house):
        await booked(house)
        for event, version, time in [("evt_2", 2, LATER), ("evt_2", 2, LATER), ("evt_3", 3, LATEST)]:
            await house.publish(event, version=version, time=time, **LONGER)
            await asyncio.sleep(60)
        assert await states(house) == [("active", None), ("active", None)]
        assert len(await named(house)) == 2

    play(tmp_path, scenario)


def test_a_longer_stay_whose_new_key_failed_asks_for_it_anew_and_closes_its_task(tmp_path):
    async def scenario(house):
        await booked(house)
        await house.fault("http_500", ADD)
        await house.publish("evt_2", version=2, time=LATER, **LONGER)
        await asyncio.sleep(20 * 60)
        assert len(await house.documents("manual_tasks")) == 1
        await house.mend()
        await house.publish("evt_3", version=3, time=LATEST, **LONGER)
        await asyncio.sleep(60)
        assert [state for state, _ in await states(house)] == ["active", "failed", "active"]
        assert await house.documents("manual_tasks") == {}
        assert len(await named(house)) == 2

    play(tmp_path, scenario)


@pytest.mark.parametrize("subject", ["cancelled", "checked_out", "early_checkout"])
def test_a_stay_that_is_off_leaves_no_task_to_make_a_key_for_it_by_hand(tmp_path, subject):
    async def scenario(house):
        await house.fault("http_500", ADD)
        await house.publish("evt_1")
        await asyncio.sleep(20 * 60)
        assert len(await house.documents("manual_tasks")) == 1
        await house.mend()
        await house.publish("evt_2", subject, time=LATER)
        await asyncio.sleep(600)
        assert await house.documents("manual_tasks") == {}

    play(tmp_path, scenario)
