"""A living key follows its stay, rests while somebody doubts it, and wakes with the same PIN."""

import asyncio
import json
import re
from datetime import datetime

import pytest

from shared.ledger import key_record
from shared.ports.documents import Update
from tests.support.changed_stays import (
    ADD,
    CHANGE,
    DELETE,
    LATER,
    LATEST,
    LONGER,
    booked,
    changed,
    ordered,
    pins,
    states,
)
from tests.support.sample_hotel import SILK, play


async def due_at_once(house):
    store = house.fleet.documents.tenant(SILK)
    (name,) = await house.documents("credentials")
    found = await store.get(key_record.ref_of(name))
    await store.commit(
        [Update(found.ref, {**found.data, "due_at": found.data["due_at"] - 3_600_000}, found.version)]
    )


async def wishes(house):
    grants = (await house.documents("grants")).values()
    return sorted((each["wish"], each["grant"]["state"]["type"]) for each in grants)


@pytest.mark.parametrize("end", [LONGER, "2026-03-04T07:30:00Z"], ids=["longer", "shorter"])
def test_key_of_other_dates_keeps_its_pin_and_opens_until_the_new_end(tmp_path, end):
    async def scenario(house):
        key, pin = await booked(house)
        await changed(house, validUntil=end)
        assert await house.told(key) == ["requested", "pending", "issued", "updated"]
        (row,) = await house.keys_at("101")
        assert row["code"] == pin
        ends = datetime.fromtimestamp(row["window"]["end"] / 1000, datetime.fromisoformat(end).tzinfo)
        assert abs((ends - datetime.fromisoformat(end)).total_seconds()) <= 60
        (credential,) = await house.keys()
        assert credential["core"]["window"]["end"] == end

    play(tmp_path, scenario)


def test_key_of_another_room_opens_it_with_the_same_pin_and_the_old_one_no_more(tmp_path):
    async def scenario(house):
        key, pin = await booked(house)
        await changed(house, rooms=["rmu_102"])
        assert [await pins(house, door) for door in ("101", "102", "front")] == [[], [pin], [pin]]
        assert await house.told(key) == ["requested", "pending", "issued", "updated"]
        assert (await house.keys())[0]["core"]["rooms"] == ["rmu_102"]

    play(tmp_path, scenario)


def test_guest_keeps_the_old_room_s_key_until_the_new_one_s_stands(tmp_path):
    async def scenario(house):
        key, pin = await booked(house)
        await house.fault("http_500", ADD)
        await changed(house, rooms=["rmu_102"])
        assert await pins(house, "101") == [pin]
        assert await house.told(key) == ["requested", "pending", "issued"]
        await house.mend()
        await asyncio.sleep(600)
        assert [await pins(house, door) for door in ("101", "102")] == [[], [pin]]
        assert (await house.told(key))[-1] == "updated"

    play(tmp_path, scenario)


def test_trial_m3_window_that_was_asked_for_is_shown_beside_the_one_that_stands(tmp_path):
    async def scenario(house):
        key, _ = await booked(house)
        await house.fault("http_500", CHANGE)
        await changed(house, validUntil=LONGER)
        _, found = await house.on.send(f"_cloud/credentials?key={key}", caller="operator", method="GET")
        (shown,) = found["credentials"]
        return shown["window"]["until"], shown["becomes"]["window"]["until"]

    assert play(tmp_path, scenario) == ("2026-03-05T07:30:00Z", LONGER)


def test_change_no_lock_follows_is_told_to_people_and_made_once_it_can_be(tmp_path):
    async def scenario(house):
        key, pin = await booked(house)
        await house.fault("http_500", ADD)
        await changed(house, rooms=["rmu_102"])
        await asyncio.sleep(3000)
        assert any("will not open as they are to" in str(line) for line in house.logged("ALERT"))
        assert (await house.keys())[0]["core"]["rooms"] == ["rmu_101"]
        assert await pins(house, "101") == []  # others live there by now
        await house.mend()
        await asyncio.sleep(2 * 3600)
        assert await pins(house, "102") == [pin]
        assert (await house.told(key))[-1] == "updated"

    play(tmp_path, scenario)


def test_held_stay_s_key_opens_nothing_and_released_opens_with_the_same_pin(tmp_path):
    async def scenario(house):
        key, pin = await booked(house)
        await house.publish("evt_2", "fraud_flagged", version=2, time=LATER)
        await asyncio.sleep(30)
        assert (await states(house), await pins(house, "101"), await pins(house, "front")) == (
            ["suspended"],
            [],
            [],
        )
        await ordered(house, "release-stay", "fraud_review")
        assert (await states(house), await pins(house, "101")) == (["active"], [pin])
        assert await house.told(key) == ["requested", "pending", "issued", "suspended", "unsuspended"]

    play(tmp_path, scenario)


def test_key_rests_until_the_last_reason_is_gone(tmp_path):
    async def scenario(house):
        key, pin = await booked(house)
        for reason in ("manual", "no_show"):
            await ordered(house, "hold-stay", reason)
        await ordered(house, "release-stay", "manual")
        assert (await states(house), await pins(house, "101")) == (["suspended"], [])
        await ordered(house, "release-stay", "no_show")
        assert (await states(house), await pins(house, "101")) == (["active"], [pin])
        assert (await house.told(key)).count("suspended") == 1

    play(tmp_path, scenario)


def test_key_of_a_stay_that_was_held_before_it_was_confirmed_comes_to_life_at_rest(tmp_path):
    async def scenario(house):
        await house.publish("evt_2", "fraud_flagged", version=2, time=LATER)
        await house.publish("evt_1", version=1)
        await asyncio.sleep(60)
        assert (await states(house), await pins(house, "101")) == (["suspended"], [])
        assert await house.told() == ["requested", "pending", "issued", "suspended"]

    play(tmp_path, scenario)


BEFORE_A_SWEEP = 30
"""The third wait, of half a minute and more, is the longest of an execution: a sweep is in it."""


def test_execution_that_makes_a_key_and_lays_it_to_rest_is_left_to_its_work(tmp_path):
    """It waits to ask its locks once more when the sweeper comes by, who finds it by its id."""

    async def scenario(house):
        await house.publish("evt_2", "fraud_flagged", version=2, time=LATER)
        await house.fault("http_500", DELETE)
        await asyncio.sleep(BEFORE_A_SWEEP)
        await house.publish("evt_1", version=1)
        await asyncio.sleep(20)
        assert set(await wishes(house)) == {("rest", "placed")}
        await due_at_once(house)
        await asyncio.sleep(15)
        (execution,) = house.fleet.sagas.listed("work_on_key")
        ((_, record),) = (await house.documents("credentials")).items()
        assert execution.execution.state == "ACTIVE"
        assert (record["saga"]["execution"], record["saga"]["generation"]) == (execution.execution.id, 1)

    play(tmp_path, scenario)


def test_lock_that_will_not_let_a_key_rest_is_a_residue_that_people_hear_of(tmp_path):
    async def scenario(house):
        _, pin = await booked(house)
        await house.fault("http_500", DELETE)
        await ordered(house, "hold-stay")
        await asyncio.sleep(3000)
        assert ("rest", "residual") in await wishes(house)
        assert any("KEY_REVOKE_FAILED" in str(line) for line in house.logged("ALERT"))
        await house.mend()
        await asyncio.sleep(2 * 3600)
        assert set(await wishes(house)) == {("rest", "resting")}
        await ordered(house, "release-stay")
        assert await pins(house, "101") == [pin]

    play(tmp_path, scenario)


def test_dates_changed_while_a_key_rests_are_those_it_wakes_with(tmp_path):
    async def scenario(house):
        key, pin = await booked(house)
        await ordered(house, "hold-stay")
        await changed(house, validUntil=LONGER)
        assert await pins(house, "101") == []
        await ordered(house, "release-stay")
        assert await pins(house, "101") == [pin]
        assert (await house.told(key))[-2:] == ["unsuspended", "updated"]
        assert (await house.keys())[0]["core"]["window"]["end"] == LONGER

    play(tmp_path, scenario)


def test_end_of_a_stay_ends_a_key_that_rests_or_moves(tmp_path):
    async def scenario(house):
        await booked(house)
        await ordered(house, "hold-stay")
        await changed(house, rooms=["rmu_102"])
        await house.publish("evt_3", "checked_out", version=3, time=LATEST)
        await asyncio.sleep(300)
        assert [await pins(house, door) for door in ("101", "102", "front")] == [[], [], []]
        assert (await house.told())[-1] == "revoke_settled"
        assert {state for _, state in await wishes(house)} == {"removed"}

    play(tmp_path, scenario)


def test_handle_of_a_key_s_secret_does_not_follow_from_any_id_that_others_see(tmp_path):
    async def scenario(house):
        await booked(house)
        rows = [row for row in (await house.documents("outbox")).values() if ".issued." in row["subject"]]
        (issued,) = [json.loads(row["body"]) for row in rows]
        (handle,) = re.findall(r"tk_([0-9A-Z]{26})", rows[0]["body"])
        moment = issued["id"].removeprefix("evt_")[:10]
        assert handle[:10] != moment  # an id's first ten digits are its time

    play(tmp_path, scenario)
