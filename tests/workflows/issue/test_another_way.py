"""When a lock will not take a key as first asked: another PIN, another kind, another time, or a person."""

import asyncio

import orjson
import pytest

from tests.support.sample_hotel import owed, play

PINS = "keyboardPwd/add"


def problems(key):
    return [made["problem"] for made in key["core"]["plan"]["made"]]


def secret_tries(grants):
    return sorted({(grant["grant"]["kind"], grant["grant"]["secret_try"]) for grant in grants.values()})


FULL = "errcode:-3006"
"""What a lock says that has no room for another code, whatever the code."""


async def failed(house):
    """Book a stay whose locks will have no key, and return the key that failed."""
    await house.fault(FULL, PINS)
    await house.publish("evt_1", version=1)
    await asyncio.sleep(60)
    (key,) = await house.keys()
    assert key["state"]["type"] == "failed"
    return key


def test_a_key_that_could_not_be_made_is_an_alarm_that_names_runbook_stay_and_rooms(tmp_path):
    async def scenario(house):
        key = await failed(house)
        (alarm,) = house.logged("ALERT")
        assert alarm["message"] == "MELMASTOON.LOCK.KEY_ISSUE_FAILED"
        assert (alarm["runbook"], alarm["code"]) == ("lock/key-issue", problems(key)[-1])
        assert (alarm["keyCredentialId"], alarm["reservationId"]) == (key["core"]["id"], "rsv_1")
        assert alarm["rooms"] == ["rmu_101"]

    play(tmp_path, scenario)


def test_the_event_of_a_key_that_could_not_be_made_says_what_its_vendor_meant(tmp_path):
    async def scenario(house):
        await house.fault("errcode:-3037", PINS)
        await house.publish("evt_1")
        await asyncio.sleep(15 * 60)
        *_, told = (await house.documents("outbox")).values()
        assert orjson.loads(told["body"])["data"]["vendorMessage"] == "lock busy"

    play(tmp_path, scenario)


@pytest.mark.parametrize("newer", [{"version": 2}, {"time": "2026-03-01T10:30:00Z"}], ids=["version", "time"])
def test_a_newer_confirmation_of_a_stay_whose_keys_all_failed_asks_for_them_anew(tmp_path, newer):
    async def scenario(house):
        key = await failed(house)
        await house.mend()
        await house.publish("evt_2", **newer)
        await asyncio.sleep(5)
        first, second = await house.keys()
        assert (first, second["state"]["type"]) == (key, "active")
        assert second["core"]["claim"] != key["core"]["claim"]
        assert [len(await house.keys_at(door)) for door in ("101", "front")] == [1, 1]
        assert await house.told(second["core"]["id"]) == ["requested", "pending", "issued"]

    play(tmp_path, scenario)


@pytest.mark.parametrize("other", [("evt_1", {"version": 1}), ("evt_0", {"version": 1})], ids=["same", "old"])
def test_a_confirmation_that_is_no_newer_does_not(tmp_path, other):
    async def scenario(house):
        key = await failed(house)
        await house.mend()
        event, data = other
        await house.publish(event, **data)
        await asyncio.sleep(5)
        assert await house.keys() == [key]

    play(tmp_path, scenario)


def test_a_kind_that_nobody_can_make_gives_way_to_the_next_in_the_guest_s_order(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", preferredKinds=["rfid_card", "hologram", "pin_code"])
        await asyncio.sleep(5)
        (key,) = await house.keys()
        choices = [choice["kind"] for choice in key["core"]["plan"]["choices"]]
        assert choices == ["rfid_card", "pin_code"]
        assert key["state"]["type"] == "active"
        assert key["state"]["key"]["kind"] == "pin_code"
        assert problems(key) == [None]
        assert [line["cause"] for line in house.logged("WARNING")] == ["secret_missing"]

    play(tmp_path, scenario)


def test_a_taken_pin_is_drawn_anew_and_the_locks_learn_one_secret_only(tmp_path):
    async def scenario(house):
        await house.fault("errcode:-3007", PINS, times=1)
        await house.publish("evt_1")
        await asyncio.sleep(5)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        assert problems(key) == ["MELMASTOON.LOCK.KEY_ISSUE_FAILED", None]
        grants = await house.documents("grants")
        assert secret_tries(grants) == [("pin_code", 0), ("pin_code", 1)]
        first = [each for each in grants.values() if each["grant"]["secret_try"] == 0]
        assert {each["grant"]["state"]["proof"] for each in first} == {"never_placed"}
        assert len({each["grant"]["vendor_key"] for each in grants.values()}) == len(grants)
        (at_room,), (at_front,) = await house.keys_at("101"), await house.keys_at("front")
        assert at_room["code"] == at_front["code"]

    play(tmp_path, scenario)


def test_a_pin_that_one_of_two_locks_refuses_is_taken_back_at_the_other(tmp_path):
    async def scenario(house):
        await house.fault("errcode:-3007", PINS, times=1, after=1)
        await house.publish("evt_1")
        await asyncio.sleep(120)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        grants = await house.documents("grants")
        given_up = [each["grant"]["state"] for each in grants.values() if each["grant"]["secret_try"] == 0]
        assert {state["proof"] for state in given_up} == {"vendor_confirmed", "never_placed"}
        (at_room,), (at_front,) = await house.keys_at("101"), await house.keys_at("front")
        assert at_room["code"] == at_front["code"]
        (entry,) = (await house.documents("credentials")).values()
        assert not owed(entry)

    play(tmp_path, scenario)


def test_three_taken_pins_end_in_other_kinds_and_then_with_a_person(tmp_path):
    async def scenario(house):
        await house.fault("errcode:-3007", PINS)
        await house.publish("evt_1")
        await asyncio.sleep(5)
        (key,) = await house.keys()
        assert problems(key) == ["MELMASTOON.LOCK.KEY_ISSUE_FAILED"] * 3
        assert key["core"]["plan"]["position"] == 1
        assert key["state"] == {**key["state"], "type": "failed", "reason": "key_issue_failed"}
        assert secret_tries(await house.documents("grants")) == [("pin_code", each) for each in range(3)]
        causes = [line["cause"] for line in house.logged("WARNING")]
        assert causes == ["pin_taken"] * 3 + ["secret_missing"]

    play(tmp_path, scenario)


def test_a_vendor_that_never_answers_is_asked_six_times_and_then_a_person_is(tmp_path):
    async def scenario(house):
        await house.fault("http_500", PINS)
        await house.publish("evt_1")
        await asyncio.sleep(20 * 60)
        (key,) = await house.keys()
        assert key["state"]["type"] == "failed"
        assert key["state"]["reason"] == "vendor_unreachable"
        assert problems(key) == ["MELMASTOON.LOCK.VENDOR_UNREACHABLE"] * 6
        assert await house.told() == ["requested", "pending", "failed"]
        (task,) = (await house.documents("manual_tasks")).values()
        assert (task["credential_id"], task["reservation_id"]) == (key["core"]["id"], "rsv_1")
        assert (task["rooms"], task["reason"]) == (["rmu_101"], "vendor_unreachable")
        (stay,) = (await house.documents("reservations")).values()
        assert stay["status"] == "confirmed"
        states = [each["grant"]["state"]["type"] for each in (await house.documents("grants")).values()]
        assert states == ["removed", "removed"]
        (entry,) = (await house.documents("credentials")).values()
        # Nothing is left to be done at its locks; it is looked at, for its stay is wanted still.
        assert (entry["saga"]["kind"], "due_at" in entry) == ("settle", True)

    play(tmp_path, scenario)


def test_a_vendor_that_mends_while_we_retry_makes_the_one_key_after_all(tmp_path):
    async def scenario(house):
        await house.fault("http_500", PINS)
        await house.publish("evt_1")
        await asyncio.sleep(60)
        await house.mend()
        await asyncio.sleep(600)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        assert (len(await house.keys_at("101")), len(await house.keys_at("front"))) == (1, 1)
        assert await house.told() == ["requested", "pending", "issued"]
        assert await house.documents("manual_tasks") == {}

    play(tmp_path, scenario)


@pytest.mark.parametrize("answered", [0, 1], ids=["the first lock", "the second lock"])
def test_one_lock_that_does_not_answer_keeps_the_key_pending_and_the_other_lock_its_key(tmp_path, answered):
    async def scenario(house):
        await house.fault("http_500", PINS, after=answered, times=1)
        await house.publish("evt_1")
        await asyncio.sleep(2)
        (key,) = await house.keys()
        assert key["state"]["type"] == "pending"
        (placed,) = [*await house.keys_at("front"), *await house.keys_at("101")]
        await asyncio.sleep(20)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        (at_room,), (at_front,) = await house.keys_at("101"), await house.keys_at("front")
        assert placed in (at_room, at_front)
        assert at_room["code"] == at_front["code"]

    play(tmp_path, scenario)


def test_el2_three_seconds_of_lost_radio_cost_no_key(tmp_path):
    async def scenario(house):
        await house.steer("PATCH", "locks/1000001", inReach=False)
        await house.publish("evt_1", validFrom="2026-03-04T09:30:00Z")
        await asyncio.sleep(3)
        await house.steer("PATCH", "locks/1000001", inReach=True)
        await asyncio.sleep(60)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        assert problems(key)[0] == "MELMASTOON.LOCK.VENDOR_UNREACHABLE"
        assert [len(await house.keys_at(door)) for door in ("101", "front")] == [1, 1]

    play(tmp_path, scenario)


def test_a_stay_that_ends_while_we_retry_fails_as_expired_and_leaves_nothing(tmp_path):
    async def scenario(house):
        await house.fault("http_500", PINS)
        await house.publish("evt_1", validFrom="2026-03-01T08:00:00Z", validUntil="2026-03-01T09:02:00Z")
        await asyncio.sleep(10 * 60)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", "credential_expired")
        assert len(problems(key)) < 6
        assert len(await house.documents("manual_tasks")) == 1
        states = [each["grant"]["state"]["type"] for each in (await house.documents("grants")).values()]
        assert states == ["removed", "removed"]

    play(tmp_path, scenario)


def test_a_vendor_without_an_account_counts_as_unreachable_and_is_never_called(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.refit("101", "mock")
        await house.publish("evt_1")
        await asyncio.sleep(20 * 60)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", "vendor_unreachable")
        assert len(problems(key)) == 6
        assert await house.told() == ["requested", "failed"]
        assert await house.documents("grants") == {}
        assert {line["cause"] for line in house.logged("WARNING")} >= {"account_missing"}

    play(tmp_path, scenario)


def test_an_account_that_arrives_while_we_retry_makes_the_key(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.refit("101", "mock")
        await house.publish("evt_1")
        await asyncio.sleep(30)
        await house.open_account("mock", b"mock://")
        await asyncio.sleep(10 * 60)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"

    play(tmp_path, scenario)


def test_a_lock_that_can_take_no_wished_or_allowed_kind_fails_at_once_with_a_task(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.disable("101")
        await house.publish("evt_1")
        await asyncio.sleep(5)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", "no_supported_kind")
        assert await house.told() == ["requested", "failed"]
        assert len(await house.documents("manual_tasks")) == 1
        (entry,) = (await house.documents("credentials")).values()
        assert (entry["announced"], "due_at" in entry) == (2, True)
        assert house.fleet.sagas.under_way == 0

    play(tmp_path, scenario)


def test_a_vendor_nobody_wrote_an_adapter_for_ends_with_a_person_and_not_with_a_thousand_sagas(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.refit("101", "nobodys")
        await house.publish("evt_1", validFrom="2026-03-01T12:00:00Z")
        await asyncio.sleep(2 * 3600)
        key, *anew = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", "key_issue_failed")
        assert len(anew) <= 3
        assert await house.told(key["core"]["id"]) == ["requested", "failed"]
        entries = list((await house.documents("credentials")).values())
        assert ("due_at" in entries[0]) is not bool(anew)
        assert all(entry["saga"]["generation"] < 10 for entry in entries)

    play(tmp_path, scenario)
