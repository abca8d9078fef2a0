"""A stay is off, or over: whatever its key had come to, nothing opens any more, and the ledger knows it."""

import asyncio

import pytest

from shared.ports.documents import Ref, Update
from tests.support.sample_hotel import SILK, play

PINS = "keyboardPwd/add"
LATER = "2026-03-01T11:00:00Z"
ENDS = {"cancelled": "cancellation", "checked_out": "checkout", "early_checkout": "checkout"}


async def nothing_is_left(house):
    """Check what must be true of any stay that is over and was given its time."""
    grants = (await house.documents("grants")).values()
    assert {grant["grant"]["state"]["type"] for grant in grants} <= {"removed"}
    assert await house.keys_at("101") == await house.keys_at("front") == []
    (entry,) = (await house.documents("credentials")).values()
    assert "due_at" not in entry
    assert entry["announced"] == entry["credential"]["sequence"]
    assert house.logged("ERROR") == []


@pytest.mark.parametrize(("subject", "reason"), ENDS.items())
def test_an_active_key_is_revoked_at_once_and_taken_back_at_its_locks(tmp_path, subject, reason):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        await house.publish("evt_2", subject, time=LATER)
        await asyncio.sleep(5)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("revoked", reason)
        assert [lock["ok"] for lock in key["state"]["settlement"]] == [True, True]
        assert await house.told() == ["requested", "pending", "issued", "revoked", "revoke_settled"]
        await nothing_is_left(house)

    play(tmp_path, scenario)


@pytest.mark.parametrize(("subject", "reason"), ENDS.items())
def test_a_key_that_was_only_wished_for_fails_for_the_stay_s_own_reason(tmp_path, subject, reason):
    async def scenario(house):
        await house.unmap("front")
        await house.refit("101", "mock")  # which has no account yet
        await house.publish("evt_1")
        await asyncio.sleep(5)
        (key,) = await house.keys()
        assert key["state"]["type"] == "requested"
        await house.publish("evt_2", subject, time=LATER)
        await house.open_account("mock", b"mock://")
        await asyncio.sleep(20 * 60)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", reason)
        assert await house.told() == ["requested", "failed"]
        assert await house.documents("grants") == {}
        assert await house.documents("manual_tasks") == {}
        await nothing_is_left(house)

    play(tmp_path, scenario)


def test_a_key_between_two_tries_fails_and_what_may_be_at_the_lock_is_taken_back(tmp_path):
    async def scenario(house):
        await house.fault("http_500", PINS, after=1)
        await house.publish("evt_1")
        await asyncio.sleep(10)
        (key,) = await house.keys()
        assert key["state"]["type"] == "pending"
        assert len(await house.keys_at("front")) == 1
        await house.publish("evt_2", "cancelled", time=LATER)
        await asyncio.sleep(300)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", "cancellation")
        assert await house.told() == ["requested", "pending", "failed"]
        assert await house.documents("manual_tasks") == {}
        await nothing_is_left(house)

    play(tmp_path, scenario)


@pytest.mark.parametrize("asked_for", [1, 8, 19])
def test_a_key_that_lands_after_its_stay_was_cancelled_is_found_and_taken_back(tmp_path, asked_for):
    async def scenario(house):
        await house.fault("slow", PINS, seconds=20)
        await house.publish("evt_1")
        await asyncio.sleep(asked_for)
        await house.publish("evt_2", "cancelled", time=LATER)
        await asyncio.sleep(400)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", "cancellation")
        await nothing_is_left(house)

    play(tmp_path, scenario)


@pytest.mark.parametrize("seed", range(6))
def test_a_booking_and_its_cancellation_at_one_moment_leave_no_key_in_any_order(tmp_path, seed):
    async def scenario(house):
        await asyncio.gather(
            house.publish("evt_1"),
            house.publish("evt_2", "cancelled", time=LATER),
        )
        await asyncio.sleep(300)
        assert [key["state"]["type"] for key in await house.keys()] in ([], ["failed"], ["revoked"])
        assert await house.keys_at("101") == await house.keys_at("front") == []
        (stay,) = (await house.documents("reservations")).values()
        assert stay["status"] == "cancelled"
        assert house.logged("ERROR") == []

    play(tmp_path, scenario, seed)


@pytest.mark.parametrize("subject", ENDS)
def test_a_stay_that_is_over_before_it_is_confirmed_makes_no_key_ever(tmp_path, subject):
    async def scenario(house):
        await house.publish("evt_2", subject, time=LATER)
        await house.settled()
        await house.publish("evt_1")
        await house.publish("evt_1")
        await asyncio.sleep(300)
        assert await house.keys() == []
        assert await house.keys_at("101") == []
        (stay,) = (await house.documents("reservations")).values()
        assert stay["status"] in ("cancelled", "checked_out")
        assert stay["claim"] is None
        heard = [(heard["event_id"], heard["outcome"]) for heard in stay["heard"]]
        assert heard == [("evt_2", "applied"), ("evt_1", "ignored")]

    play(tmp_path, scenario)


def test_a_booking_that_is_older_than_its_cancellation_is_told_by_its_version_not_its_time(tmp_path):
    async def scenario(house):
        await house.publish("evt_2", "cancelled", version=2, time="2026-03-01T08:00:00Z")
        await house.settled()
        await house.publish("evt_1", version=1, time="2026-03-01T12:00:00Z")
        await asyncio.sleep(60)
        assert await house.keys() == []

    play(tmp_path, scenario)


def test_a_cancellation_that_is_older_than_the_booking_leaves_the_key_alone(tmp_path):
    async def scenario(house):
        await house.publish("evt_3", version=3)
        await asyncio.sleep(5)
        await house.publish("evt_2", "cancelled", version=2, time=LATER)
        await asyncio.sleep(60)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        assert len(await house.keys_at("101")) == 1
        (stay,) = (await house.documents("reservations")).values()
        assert [heard["outcome"] for heard in stay["heard"]] == ["applied", "ignored"]

    play(tmp_path, scenario)


def test_a_reinstated_stay_gets_a_new_key_under_a_new_claim(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        (first,) = (await house.documents("reservations")).values()
        await house.publish("evt_2", "cancelled", version=2, time=LATER)
        await asyncio.sleep(5)
        await house.publish("evt_3", version=3, time="2026-03-01T12:00:00Z")
        await asyncio.sleep(5)
        old, new = await house.keys()
        assert (old["state"]["type"], new["state"]["type"]) == ("revoked", "active")
        assert old["core"]["claim"] != new["core"]["claim"]
        (stay,) = (await house.documents("reservations")).values()
        assert (stay["status"], stay["incarnation"]) == ("confirmed", 2)
        assert stay["claim"] == new["core"]["claim"] != first["claim"]
        assert stay["credentials"] == [new["core"]["id"]]
        assert len(await house.keys_at("101")) == 1
        # What ended the old stay, delivered once more, does not end the new one.
        await house.publish("evt_2", "cancelled", version=2, time=LATER)
        await asyncio.sleep(60)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked", "active"]

    play(tmp_path, scenario)


def test_a_second_end_of_the_same_stay_changes_nothing(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        await house.publish("evt_2", "early_checkout", time=LATER)
        await asyncio.sleep(5)
        before = await house.documents("credentials"), await house.told()
        await house.publish("evt_2", "early_checkout", time=LATER)
        await house.publish("evt_3", "checked_out", time="2026-03-05T08:00:00Z")
        await house.publish("evt_4", "cancelled", time="2026-03-05T09:00:00Z")
        await asyncio.sleep(120)
        assert (await house.documents("credentials"), await house.told()) == before
        (stay,) = (await house.documents("reservations")).values()
        assert stay["status"] == "checked_out"

    play(tmp_path, scenario)


def test_a_checkout_that_meets_a_newer_release_s_record_comes_again_until_it_can_be_read(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        store, ref = house.fleet.documents.tenant(SILK), Ref("reservations", "rsv_1")
        old = await store.get(ref)
        (newer,) = await store.commit([Update(ref, {**old.data, "schema_version": 2}, old.version)])
        await house.publish("evt_2", "checked_out", time=LATER)
        await asyncio.sleep(30)
        assert house.quarantined() == []
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        await store.commit([Update(ref, old.data, newer)])
        await asyncio.sleep(10 * 60)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked"]

    play(tmp_path, scenario)
