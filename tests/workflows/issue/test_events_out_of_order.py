"""A stay that ended before we heard it confirmed gets no key, whatever the clocks say."""

import asyncio
from itertools import permutations

import pytest

from tests.support.sample_hotel import play

EARLIER, LATER = "2026-03-01T09:00:00Z", "2026-03-01T11:00:00Z"


@pytest.mark.parametrize("subject", ["cancelled", "checked_out", "early_checkout"])
@pytest.mark.parametrize("time", [EARLIER, LATER])
def test_an_end_that_overtook_the_confirmation_is_the_end(tmp_path, subject, time):
    async def scenario(house):
        await house.publish("evt_end", subject)
        await asyncio.sleep(1)
        await house.publish("evt_confirmed", time=time)
        await asyncio.sleep(200)
        return await house.documents("credentials"), await house.documents("reservations")

    credentials, stays = play(tmp_path, scenario)
    assert credentials == {}
    assert [heard["outcome"] for heard in stays["rsv_1"]["heard"]] == ["applied", "ignored"]


@pytest.mark.parametrize(("version", "keys"), [(1, 0), (2, 0), (3, 1)])
def test_only_a_higher_version_reopens_it(tmp_path, version, keys):
    async def scenario(house):
        await house.publish("evt_end", "cancelled", version=2)
        await asyncio.sleep(1)
        await house.publish("evt_confirmed", time=LATER, version=version)
        await asyncio.sleep(5)
        return await house.active_keys()

    assert len(play(tmp_path, scenario)) == keys


def test_a_reinstatement_that_overtakes_its_cancellation_gives_the_new_stay_its_key(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_3", time=LATER, version=3, rooms=["rmu_102"])
        await asyncio.sleep(5)
        await house.publish("evt_2", "cancelled", time="2026-03-01T10:30:00Z", version=2)
        await asyncio.sleep(200)
        states = {tuple(key["core"]["rooms"]): key["state"] for key in await house.keys()}
        assert (states["rmu_101",]["type"], states["rmu_101",]["reason"]) == ("revoked", "replaced")
        assert states["rmu_102",]["type"] == "active"
        assert (await house.keys_at("101"), len(await house.keys_at("102"))) == ([], 1)
        assert len(await house.keys_at("front")) == 1

    play(tmp_path, scenario)


def test_a_higher_version_of_the_same_stay_changes_nothing(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_3", time=LATER, version=3)
        await asyncio.sleep(5)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"

    play(tmp_path, scenario)


NEWER = {"guest": {"id": "gst_other"}, "time": "2026-03-01T12:00:00Z"}


@pytest.mark.parametrize(
    "told",
    [
        ({"version": 1}, {"version": 2}),
        ({"version": 1}, {"time": LATER}, {"version": 2}),
        ({}, {"version": 2}),
        ({"version": 1}, {}),
        ({}, {}),
    ],
    ids=["versions", "one between without", "the first without", "the newer without", "none"],
)
def test_a_newer_confirmation_for_another_guest_replaces_the_key(tmp_path, told):
    async def scenario(house):
        *known, newer = told
        for number, event in enumerate([*known, {**NEWER, **newer}]):
            await house.publish(f"evt_{number}", **event)
            await asyncio.sleep(5)
        await asyncio.sleep(200)
        states = {key["core"]["holder"]["guest_id"]: key["state"]["type"] for key in await house.keys()}
        assert states == {"gst_1": "revoked", "gst_other": "active"}
        assert len(await house.keys_at("101")) == 1

    play(tmp_path, scenario)


@pytest.mark.parametrize("older", [{"version": 1, "time": LATER}, {"time": EARLIER}])
def test_an_older_confirmation_for_another_guest_changes_nothing(tmp_path, older):
    async def scenario(house):
        await house.publish("evt_2", version=2)
        await asyncio.sleep(5)
        await house.publish("evt_1", **{**NEWER, **older})
        await asyncio.sleep(200)
        (key,) = await house.keys()
        assert (key["core"]["holder"]["guest_id"], key["state"]["type"]) == ("gst_1", "active")

    play(tmp_path, scenario)


def test_a_late_old_version_changes_nothing_though_one_without_a_version_came_between(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_3", version=3, **NEWER)
        await asyncio.sleep(5)
        await house.publish("evt_none", **{**NEWER, "time": "2026-03-01T12:30:00Z"})
        await asyncio.sleep(5)
        await house.publish("evt_2", version=2, time="2026-03-01T13:00:00Z", guest={"id": "gst_third"})
        await house.publish("evt_2b", "cancelled", version=2, time="2026-03-01T13:00:00Z")
        await asyncio.sleep(200)
        states = {key["core"]["holder"]["guest_id"]: key["state"]["type"] for key in await house.keys()}
        assert states == {"gst_1": "revoked", "gst_other": "active"}

    play(tmp_path, scenario)


REFUSED = [{"rooms": ["rmu_999"]}, {"propertyId": "ppt_nowhere"}]


@pytest.mark.parametrize("wrong", REFUSED, ids=["room", "property"])
def test_a_stay_that_is_another_guest_s_now_has_no_key_of_the_last_though_it_can_have_none(tmp_path, wrong):
    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_2", version=2, **NEWER, **wrong)
        await asyncio.sleep(200)
        (key,) = await house.keys()
        assert key["state"]["type"] == "revoked"
        assert await house.keys_at("101") == []
        await house.publish("evt_2", version=2, **NEWER)
        await asyncio.sleep(5)
        assert len(await house.keys_at("101")) == 1

    play(tmp_path, scenario)


def test_a_guest_keeps_the_key_that_is_within_their_changed_stay_though_that_can_have_none(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_2", version=2, time=LATER, rooms=["rmu_101", "rmu_999"])
        await asyncio.sleep(200)
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]

    play(tmp_path, scenario)


@pytest.mark.parametrize("wrong", REFUSED, ids=["room", "property"])
def test_a_guest_loses_the_key_that_is_not_though_their_changed_stay_can_have_none(tmp_path, wrong):
    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_2", version=2, time=LATER, **wrong)
        await asyncio.sleep(200)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked"]

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("when", "warned"),
    [({"time": "2026-03-01T15:30:00Z"}, 1), ({"time": "2026-03-01T15:30:00Z", "version": 1}, 0), ({}, 0)],
    ids=["in the future", "in the future, with a version", "a moment ago"],
)
def test_an_event_that_is_dated_in_the_future_and_has_no_version_is_warned_of(tmp_path, when, warned):
    async def scenario(house):
        await house.publish("evt_1", **{"time": "2026-03-01T08:59:00Z", **when})
        await asyncio.sleep(5)
        warnings = [line for line in house.logged("WARNING") if "in the future" in line["message"]]
        assert [line["eventId"] for line in warnings] == ["evt_1"] * warned

    play(tmp_path, scenario)


STORY = {
    "evt_1": ("confirmed", "2026-03-01T08:00:00Z", {}),
    "evt_2": ("cancelled", "2026-03-01T08:10:00Z", {}),
    "evt_3": ("confirmed", "2026-03-01T08:20:00Z", {"rooms": ["rmu_102"]}),
}


@pytest.mark.parametrize("order", list(permutations(STORY)), ids=" ".join)
def test_trial_el1_reinstated_stay_has_its_key_at_the_door_in_whichever_order_it_was_told(tmp_path, order):
    async def scenario(house):
        for event in order:
            subject, time, data = STORY[event]
            await house.publish(event, subject, time=time, **data)
            await asyncio.sleep(10)
        await asyncio.sleep(200)
        return [len(await house.keys_at(door)) for door in ("101", "102", "front")]

    assert play(tmp_path, scenario) == [0, 1, 1]


@pytest.mark.parametrize("ending", ["cancelled", "checked_out", "early_checkout"])
def test_trial_2_6_guest_of_a_booking_from_the_future_is_locked_out_by_its_ending(tmp_path, ending):
    async def scenario(house):
        await house.publish("evt_1", time="2026-12-26T09:00:00Z")
        await asyncio.sleep(10)
        before = len(await house.keys_at("101"))
        await house.publish("evt_2", ending, time="2026-03-01T09:00:10Z")
        await asyncio.sleep(200)
        (stay,) = (await house.documents("reservations")).values()
        assert "its date is 300 days ahead" in stay["heard"][0]["because"]
        return before, len(await house.keys_at("101")), len(await house.keys_at("front"))

    assert play(tmp_path, scenario) == (1, 0, 0)
