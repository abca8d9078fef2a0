"""What locks and gateways do to a key: out of reach, out of time, unwilling to let go."""

import asyncio

import pytest

from tests.support.left_at_locks import LATER, residues, settlements, stuck_at_its_locks, told_of
from tests.support.sample_hotel import device_at, play

TONIGHT = "2026-03-01T20:10:00Z"


def warnings(key):
    return sorted(warning["code"] for warning in key["core"]["warnings"])


def test_a_guest_who_comes_within_a_day_gets_a_computed_passcode_while_the_gateway_is_away(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.steer("PATCH", "gateways/501", online=False)
        await house.publish("evt_1", validFrom=TONIGHT)
        await asyncio.sleep(10)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        assert warnings(key) == ["REVOKE_PENDING_AT_LOCK", "WINDOW_ROUNDED"]
        (issued,) = await told_of(house, "issued")
        assert sorted(each["code"] for each in issued["warnings"]) == warnings(key)
        (grant,) = (await house.documents("grants")).values()
        assert grant["grant"]["state"]["placement"] == "accepted"
        assert len(await house.keys_at("101")) == 1

    play(tmp_path, scenario)


def test_a_guest_who_comes_later_waits_for_the_gateway(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.steer("PATCH", "gateways/501", online=False)
        await house.publish("evt_1", validFrom="2026-03-03T09:00:00Z")
        await asyncio.sleep(30)
        (key,) = await house.keys()
        assert key["state"]["type"] == "pending"
        await house.steer("PATCH", "gateways/501", online=True)
        await asyncio.sleep(300)
        (key,) = await house.keys()
        assert (key["state"]["type"], warnings(key)) == ("active", [])

    play(tmp_path, scenario)


def test_a_key_to_several_locks_is_never_computed_for_its_guest_would_hold_several(tmp_path):
    async def scenario(house):
        await house.steer("PATCH", "gateways/501", online=False)
        await house.publish("evt_1", validFrom=TONIGHT)
        await asyncio.sleep(30)
        (key,) = await house.keys()
        assert key["state"]["type"] == "pending"
        assert await house.keys_at("101") == await house.keys_at("front") == []

    play(tmp_path, scenario)


def test_a_computed_passcode_does_not_begin_before_the_previous_guest_leaves(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        before = {"reservationId": "rsv_0", "guest": {"id": "gst_0"}}
        await house.publish("evt_0", **before, validUntil=TONIGHT, validFrom=LATER)
        await asyncio.sleep(10)
        await house.steer("PATCH", "gateways/501", online=False)
        await house.publish("evt_1", validFrom=TONIGHT)
        await asyncio.sleep(10)
        _, key = await house.keys()
        assert key["state"]["type"] == "active"
        assert key["state"]["key"]["effective"]["start"] >= TONIGHT

    play(tmp_path, scenario)


LATE = "2026-03-01T20:40:00Z"


@pytest.mark.parametrize(
    ("previous", "computed"),
    [
        ({}, False),
        ({"rooms": ["rmu_102"]}, True),
        ({"validFrom": LATE, "validUntil": "2026-03-02T08:00:00Z"}, True),
    ],
    ids=["who is still there", "of another room", "who comes later"],
)
def test_no_passcode_is_computed_while_another_guest_s_stay_goes_on(tmp_path, previous, computed):
    async def scenario(house):
        await house.unmap("front")
        await house.publish(
            "evt_0", **{"reservationId": "rsv_0", "validFrom": LATER, "validUntil": LATE, **previous}
        )
        await asyncio.sleep(10)
        await house.steer("PATCH", "gateways/501", online=False)
        await house.publish("evt_1", validFrom=TONIGHT)
        await asyncio.sleep(10)
        _, key = await house.keys()
        assert key["state"]["type"] == ("active" if computed else "pending")
        assert len(await house.keys_at("101")) == (previous.get("rooms") is None) + computed

    play(tmp_path, scenario)


def test_a_guest_whose_grant_was_kept_by_an_earlier_release_is_still_in(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.publish("evt_0", reservationId="rsv_0", validFrom=LATER, validUntil=LATE)
        await asyncio.sleep(10)
        (grant,) = await house.documents("grants")
        await house.change("grants", grant, lambda kept: {k: v for k, v in kept.items() if k != "starts"})
        await house.steer("PATCH", "gateways/501", online=False)
        await house.publish("evt_1", validFrom=TONIGHT)
        await asyncio.sleep(10)
        _, key = await house.keys()
        assert key["state"]["type"] == "pending"

    play(tmp_path, scenario)


def test_a_guest_s_own_older_key_keeps_no_passcode_from_them(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.publish("evt_1", validFrom="2026-03-01T08:00:00Z", validUntil=LATE)
        await asyncio.sleep(10)
        await house.steer("PATCH", "gateways/501", online=False)
        longer = {"validFrom": "2026-03-01T08:30:00Z", "validUntil": "2026-03-02T08:00:00Z"}
        await house.publish("evt_2", time="2026-03-01T10:30:00Z", **longer)
        await asyncio.sleep(30)
        assert [key["state"]["type"] for key in await house.keys()] == ["active", "active"]

    play(tmp_path, scenario)


def test_when_the_other_guest_has_checked_out_a_passcode_is_computed(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.publish("evt_0", reservationId="rsv_0", validFrom=LATER, validUntil=LATE)
        await asyncio.sleep(10)
        await house.steer("PATCH", "gateways/501", online=False)
        await house.publish("evt_2", "checked_out", reservationId="rsv_0", time=LATER)
        await house.publish("evt_1", validFrom=TONIGHT)
        await asyncio.sleep(10)
        _, key = await house.keys()
        assert key["state"]["type"] == "active"

    play(tmp_path, scenario)


def test_a_lock_whose_clock_is_off_gets_its_key_with_a_warning(tmp_path):
    async def scenario(house):
        await house.steer("PATCH", "locks/1000101", skewSeconds=400)
        await house.publish("evt_1")
        await asyncio.sleep(5)
        (key,) = await house.keys()
        assert (key["state"]["type"], warnings(key)) == ("active", ["CLOCK_SKEW"])
        window = key["core"]["window"]
        assert key["state"]["key"]["effective"] == window

    play(tmp_path, scenario)


def test_a_lock_that_will_not_let_go_is_alarmed_at_once_and_when_we_stop_asking(tmp_path):
    async def scenario(house):
        await stuck_at_its_locks(house)
        await asyncio.sleep(3)
        (key,) = await house.keys()
        assert key["state"]["type"] == "revoked"  # whatever the locks say
        for alarm, door in zip(house.logged("ALERT"), ["front", "101"], strict=True):
            assert alarm["message"] == "MELMASTOON.LOCK.KEY_REVOKE_FAILED"
            assert alarm["runbook"] == "lock/key-revoke"
            assert (alarm["keyCredentialId"], alarm["deviceId"]) == (key["core"]["id"], device_at(door))
        await asyncio.sleep(5 * 3600)
        assert [alarm["tries"] for alarm in house.logged("ALERT")] == [1, 1, 6, 6]

    play(tmp_path, scenario)


def test_a_key_that_stays_at_its_lock_is_told_with_the_end_of_the_risk_until_it_goes(tmp_path):
    async def scenario(house):
        await stuck_at_its_locks(house)
        await asyncio.sleep(30 * 60)
        states = [grant["grant"] for grant in (await house.documents("grants")).values()]
        assert [each["state"]["type"] for each in states] == ["residual", "residual"]
        assert {each["exposure_until"] for each in states} == {"2026-03-05T07:30:00Z"}
        ((ok, locks),) = await settlements(house)
        assert (ok, {lock["deviceId"] for lock in locks}) == (False, {device_at("101"), device_at("front")})
        assert all(lock["exposureUntil"].startswith("2026-03-05T07:30:00") for lock in locks)
        await house.mend()
        await asyncio.sleep(2 * 3600)
        assert [settled[0] for settled in await settlements(house)] == [False, True]
        assert await house.keys_at("101") == await house.keys_at("front") == []
        (entry,) = (await house.documents("credentials")).values()
        assert "due_at" not in entry

    play(tmp_path, scenario)


def test_a_risk_ends_an_hour_after_the_key_s_window_and_its_lock_is_asked_still(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.publish("evt_1", validFrom=LATER, validUntil=TONIGHT)
        await asyncio.sleep(5)
        await house.fault("errcode:-3037", "keyboardPwd/delete")
        await house.publish("evt_2", "cancelled", time=LATER)
        await asyncio.sleep(13 * 3600)
        (grant,) = (await house.documents("grants")).values()
        assert grant["grant"]["state"]["type"] == "residual"
        assert [settled[0] for settled in await settlements(house)] == [False, True]
        assert await residues(house) == []
        await house.mend()
        await asyncio.sleep(24 * 3600)
        (grant,) = (await house.documents("grants")).values()
        assert grant["grant"]["state"]["proof"] == "vendor_confirmed"
        assert [settled[0] for settled in await settlements(house)] == [False, True]
        (entry,) = (await house.documents("credentials")).values()
        assert "due_at" not in entry

    play(tmp_path, scenario)


def test_a_vendor_that_is_down_at_checkout_takes_the_key_back_when_it_is_up(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        await house.fault("http_500", "*")
        await house.publish("evt_2", "checked_out", time=LATER)
        await asyncio.sleep(120)
        (key,) = await house.keys()
        assert key["state"]["type"] == "revoked"
        assert len(await house.keys_at("101")) == 1
        await house.mend()
        await asyncio.sleep(10 * 60)
        assert await house.keys_at("101") == await house.keys_at("front") == []
        assert [settled[0] for settled in await settlements(house)] == [True]

    play(tmp_path, scenario)


@pytest.mark.parametrize("fault", ["timeout_after_success", "http_502"])
def test_a_removal_that_nobody_heard_of_is_asked_again_and_settles_once(tmp_path, fault):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        await house.fault(fault, "keyboardPwd/delete", times=2)
        await house.publish("evt_2", "checked_out", time=LATER)
        await asyncio.sleep(120)
        assert await house.keys_at("101") == await house.keys_at("front") == []
        assert [settled[0] for settled in await settlements(house)] == [True]

    play(tmp_path, scenario)


def test_a_quota_that_is_spent_at_checkout_is_a_risk_and_not_a_wait_of_a_month(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        await house.fault("errcode:30007", "keyboardPwd/delete", times=2)
        await house.publish("evt_2", "cancelled", time=LATER)
        await asyncio.sleep(10)
        states = {each["grant"]["state"]["type"] for each in (await house.documents("grants")).values()}
        assert states <= {"residual", "removed"}
        await asyncio.sleep(2 * 3600)
        assert await house.keys_at("101") == await house.keys_at("front") == []

    play(tmp_path, scenario)


def test_a_door_that_is_mapped_again_while_we_retry_keeps_its_key(tmp_path):
    async def scenario(house):
        lock = (await house.documents("devices"))[device_at("front")]
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1")
        await asyncio.sleep(2)
        await house.unmap("front")
        await asyncio.sleep(20)
        await house.map_again("front", lock)
        await house.mend()
        await asyncio.sleep(1200)
        assert len(await house.keys_at("front")) == 1

    play(tmp_path, scenario)
