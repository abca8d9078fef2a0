"""One key is ended, or replaced, on a person's word: the door closes first, and the guest has another PIN."""

import asyncio

import pytest

from tests.support.compared import booked
from tests.support.ordered_keys import order
from tests.support.sample_hotel import SILK, play


async def only_key(house):
    (key,) = await house.keys()
    return key["core"]["id"]


def test_a_key_that_was_ended_by_hand_is_gone_from_its_locks_in_the_name_of_who_ordered_it(tmp_path):
    async def scenario(house):
        await booked(house)
        key = await only_key(house)
        assert await order(house, "end-key", key, reason="security") == (
            200,
            {"key": key, "state": "revoked"},
        )
        assert not await house.keys_at("101")
        assert not await house.keys_at("front")
        (row,) = [each for each in (await house.documents("outbox")).values() if "revoked" in each["subject"]]
        assert (row["audit"]["operatorId"], row["audit"]["reason"]) == ("usr_7", "security")
        assert await order(house, "end-key", key) == (200, {"key": key, "state": "revoked"})

    play(tmp_path, scenario)


def test_a_replaced_key_dies_and_its_stay_has_another_with_another_pin(tmp_path):
    async def scenario(house):
        await booked(house)
        key = await only_key(house)
        (before,) = await house.keys_at("101")
        status, told = await order(house, "replace-key", key)
        assert status == 200
        (after,) = await house.keys_at("101")
        assert after["code"] != before["code"]
        assert after["window"] == before["window"]
        old, new = await house.keys()
        assert (old["state"]["type"], old["state"]["replaced_by"]) == ("revoked", told["replacedBy"])
        assert (new["core"]["role"], new["core"]["replaces"]) == ("replacement", key)
        stay = (await house.documents("reservations"))["rsv_0"]
        assert stay["credentials"] == [told["replacedBy"]]
        # Ordered twice, it is done once.
        assert await order(house, "replace-key", key) == (200, told)
        assert len(await house.keys()) == 2

    play(tmp_path, scenario)


def test_the_stay_goes_on_with_the_new_key_and_ends_with_it(tmp_path):
    async def scenario(house):
        await booked(house)
        await order(house, "replace-key", await only_key(house))
        await house.publish("evt_off", "checked_out", time="2026-03-01T09:30:00Z", reservationId="rsv_0")
        await house.settled()
        assert not await house.keys_at("101")
        assert {key["state"]["type"] for key in await house.keys()} == {"revoked"}

    play(tmp_path, scenario)


@pytest.mark.parametrize(("seconds", "before"), [(30, "pending"), (14 * 60, "failed")])
def test_a_key_that_was_ended_before_it_was_made_is_not_requested_anew(tmp_path, seconds, before):
    async def scenario(house):
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1", validFrom="2026-03-06T09:30:00Z", validUntil="2026-03-09T07:30:00Z")
        await asyncio.sleep(seconds)
        (key,) = await house.keys()
        assert key["state"]["type"] == before
        body = {"tenant": str(SILK), "key": key["core"]["id"], "by": "usr_7", "reason": "lost"}
        told = await house.on.send("end-key", body, caller="operator")
        assert told == (200, {"key": key["core"]["id"], "state": "failed"})
        await house.mend()
        await asyncio.sleep(6 * 3600)
        assert [each["core"]["id"] for each in await house.keys()] == [key["core"]["id"]]
        assert not await house.documents("manual_tasks")
        assert not [code for door in ("101", "front") for code in await house.keys_at(door)]

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("wrong", "field"), [({"reason": "checkout"}, "reason"), ({"by": "me"}, "by"), ({"key": "key_1"}, "key")]
)
def test_an_order_that_is_none_is_refused(tmp_path, wrong, field):
    async def scenario(house):
        await booked(house)
        status, answer = await order(house, "replace-key", await only_key(house), **wrong)
        assert (status, answer["error"]["field"]) == (400, field)

    play(tmp_path, scenario)


def test_no_key_is_made_for_a_stay_that_is_off(tmp_path):
    async def scenario(house):
        await booked(house)
        await house.publish("evt_off", "cancelled", time="2026-03-01T09:30:00Z", reservationId="rsv_0")
        await house.settled()
        status, answer = await order(house, "replace-key", await only_key(house))
        assert (status, answer["error"]["field"]) == (400, "key")
        assert len(await house.keys()) == 1

    play(tmp_path, scenario)


def test_a_key_that_is_on_its_way_to_another_room_is_replaced_by_one_of_that_room(tmp_path):
    async def scenario(house):
        await booked(house)
        key = await only_key(house)
        await house.fault("http_500", "keyboardPwd/add")
        moved = {"rooms": ["rmu_102"], "reservationId": "rsv_0", "version": 2}
        await house.publish("evt_2", "dates_changed", time="2026-03-01T09:30:00Z", **moved)
        await asyncio.sleep(20)
        await house.mend()
        await order(house, "replace-key", key)
        _, new = await house.keys()
        assert (new["state"]["type"], new["core"]["rooms"]) == ("active", ["rmu_102"])
        assert [len(await house.keys_at(door)) for door in ("101", "102", "front")] == [0, 1, 1]

    play(tmp_path, scenario)


def test_a_key_is_replaced_by_one_of_another_kind_that_its_doors_know_and_by_no_other(tmp_path):
    async def scenario(house):
        await booked(house)
        key = await only_key(house)
        status, answer = await order(house, "replace-key", key, kind="nfc_tag")
        assert (status, answer["error"]["field"]) == (400, "kind")
        assert (await house.keys())[0]["state"]["type"] == "active"
        status, told = await order(house, "replace-key", key, kind="rfid_card")
        assert status == 200
        old, new = await house.keys()
        assert old["state"]["replaced_by"] == new["core"]["id"] == told["replacedBy"]
        assert new["core"]["plan"]["choices"][0]["kind"] == "rfid_card"
        requested = [
            row for row in (await house.documents("outbox")).values() if "requested" in row["subject"]
        ]
        assert requested[-1]["audit"]["operatorId"] == "usr_7"

    play(tmp_path, scenario)


def test_copies_of_a_key_open_what_it_opens_follow_the_stay_and_end_with_it(tmp_path):
    async def scenario(house):
        await booked(house, partySize=3)
        key = await only_key(house)
        for _ in range(2):  # ordered twice, they are made once
            status, told = await order(house, "copy-key", key, copies=2)
            assert (status, len(told["copies"])) == (200, 2)
        pins = sorted(row["code"] for row in await house.keys_at("101"))
        assert len(set(pins)) == 3
        assert [each["core"]["role"] for each in await house.keys()] == ["first", "copy", "copy"]
        status, answer = await order(house, "copy-key", key, copies=3)
        assert (status, answer["error"]["field"]) == (400, "copies")
        moved = {"rooms": ["rmu_102"], "reservationId": "rsv_0", "version": 2}
        await house.publish("evt_2", "dates_changed", time="2026-03-01T09:30:00Z", **moved)
        await house.settled()
        assert not await house.keys_at("101")
        assert sorted(row["code"] for row in await house.keys_at("102")) == pins
        await house.publish(
            "evt_3", "cancelled", time="2026-03-01T09:31:00Z", reservationId="rsv_0", version=3
        )
        await house.settled()
        assert not await house.keys_at("102")
        assert not await house.keys_at("front")

    play(tmp_path, scenario)


def test_party_has_as_many_copies_of_the_keys_that_are_made_anew(tmp_path):
    async def scenario(house):
        await booked(house)
        await order(house, "copy-key", await only_key(house))
        elsewhere = {"rooms": ["rmu_102"], "reservationId": "rsv_0", "version": 2}
        await house.publish("evt_2", time="2026-03-01T09:30:00Z", **elsewhere)  # not changed: confirmed anew
        await house.settled()
        assert len({row["code"] for row in await house.keys_at("102")}) == 2
        assert not await house.keys_at("101")

    play(tmp_path, scenario)


def test_what_a_failed_key_left_at_a_lock_goes_though_it_was_replaced_by_hand(tmp_path):
    async def scenario(house):
        await house.fault("errcode:-3007", "keyboardPwd/add", after=1)
        await house.fault("http_500", "keyboardPwd/delete")
        await house.publish("evt_1")
        await asyncio.sleep(40)
        (failed,) = await house.keys()
        (left,) = await house.keys_at("front")
        assert failed["state"]["type"] == "failed"
        await house.mend()
        status, _ = await order(house, "replace-key", failed["core"]["id"])
        assert status == 200
        await asyncio.sleep(2 * 3600)
        (here,) = await house.keys_at("front")
        assert here["code"] != left["code"]

    play(tmp_path, scenario)
