"""Each row of A §6.3, §7.2, §14 and B §3: played here by its name, or by the test that the table names."""

import ast
import asyncio
from pathlib import Path

import pytest

from tests.support.sample_hotel import play

TESTS = Path(__file__).parents[2]
LATER = "2026-03-01T09:30:00Z"
LONGER, SHORTER = "2026-03-06T07:30:00Z", "2026-03-04T07:30:00Z"
DATES = {
    "extended": {"validUntil": LONGER},
    "contracted": {"validUntil": SHORTER},
    "room changed": {"rooms": ["rmu_102"]},
}
A6_3 = {
    "reservation.no_show.v1 suspends for no_show": ("no_show", "suspended", "no_show"),
    "reservation.fraud_flagged.v1 suspends for fraud_review": ("fraud_flagged", "suspended", "fraud_review"),
    "reservation.early_checkout.v1 revokes for checkout": ("early_checkout", "revoked", "checkout"),
    "reservation.checkout.v1 revokes for checkout": ("checked_out", "revoked", "checkout"),
    "reservation.cancelled.v1 revokes for cancellation": ("cancelled", "revoked", "cancellation"),
}
"""B §3's booking subjects are the same rows."""
ELSEWHERE = {
    "A 7.2 notification fails": "workflows/guests/test_ladder_under_faults.py::"
    "test_a_guest_who_is_reached_on_no_way_is_the_desks_to_tell_once",
    "A 7.2 duplicate confirmation": "workflows/issue/test_duplicates.py::"
    "test_a_hundred_confirmations_of_a_booking_make_one_key",
    "A 7.2 adapter crash mid-call": "chaos/test_keys_survive_kills.py::test_a_stay_outlives_its_fleet",
    "A 14 lock device offline": "workflows/outages/test_at_the_lock.py::"
    "test_a_guest_who_comes_within_a_day_gets_a_computed_passcode_while_the_gateway_is_away",
    "A 14 encoder disconnected": "workflows/issue/test_cards_at_a_desk.py::"
    "test_a_desk_that_stays_silent_is_an_encoder_offline_and_the_plan_s_next_way_is_taken",
    "A 14 encoder USB unplugged": "edge/hardware/test_encoders.py::"
    "test_unplugged_encoder_is_found_again_on_another_port",
    "A 14 BLE pairing fails": "edge/hardware/test_ttlock_door.py::"
    "test_lock_out_of_earshot_ends_at_the_deadline",
    "A 14 BLE pairing fails and another way is taken": "edge/desk/test_by_radio.py::"
    "test_an_answer_that_was_lost_leaves_one_pin_and_a_lock_that_is_not_heard_leaves_the_way_to_others",
    "A 14 PIN collision": "workflows/issue/test_another_way.py::"
    "test_three_taken_pins_end_in_other_kinds_and_then_with_a_person",
    "A 14 clock skew": "workflows/outages/test_at_the_lock.py::"
    "test_a_lock_whose_clock_is_off_gets_its_key_with_a_warning",
    "A 14 webhook signature invalid": "workflows/doors/test_doors_heard.py::"
    "test_who_is_not_proven_changes_nothing",
    "A 14 provisional key of a cancelled stay": "edge/desk/test_alone_and_back.py::"
    "test_a_stay_that_was_cancelled_meanwhile_has_its_desk_key_revoked_and_told_as_exposure",
    "A 14 vendor changes its API": "workflows/upkeep/test_canary.py::"
    "test_a_bad_build_goes_back_by_itself_and_no_key_is_lost",
    "B 3 no_show delayed by policy": "workflows/stays/test_guests_who_do_not_come.py::"
    "test_no_show_rests_at_the_minute_policy_names_by_the_policy_of_that_time",
    "B 3 shift.started and shift.ended": "workflows/staff/test_staff_shifts.py::"
    "test_b3_shift_started_issues_a_master_key_of_its_floor_and_shift_ended_revokes_it",
    "B 3 user.deactivated": "workflows/staff/test_staff_shifts.py::"
    "test_b3_user_deactivated_revokes_every_key_of_the_person_and_no_shift_gives_another",
    "B 3 property.deactivated": "workflows/revoke/test_bulk_revoke.py::"
    "test_b3_property_deactivated_revokes_every_key_by_one_execution_and_counts_them",
}


async def booked(house):
    await house.publish("evt_1", version=1)
    await house.settled()
    return await state(house)


async def state(house):
    (key,) = await house.keys()
    return key["state"]["type"], key["state"].get("reason")


async def pins(house, door):
    return [row["code"] for row in await house.keys_at(door)]


def test_a6_3_reservation_confirmed_v1_goes_by_requested_and_pending_to_active(tmp_path):
    async def scenario(house):
        assert await booked(house) == ("active", None)
        assert await house.told() == ["requested", "pending", "issued"]
        assert len(await pins(house, "101")) == 1

    play(tmp_path, scenario)


@pytest.mark.parametrize(("subject", "becomes", "reason"), A6_3.values(), ids=A6_3)
def test_a6_3_and_b3(tmp_path, subject, becomes, reason):
    async def scenario(house):
        await booked(house)
        await house.publish("evt_2", subject, time=LATER, version=2)
        await asyncio.sleep(30)
        assert await state(house) == (becomes, reason)
        assert await pins(house, "101") == await pins(house, "front") == []

    play(tmp_path, scenario)


@pytest.mark.parametrize("change", DATES.values(), ids=DATES)
def test_a6_3_and_b3_reservation_dates_changed_v1_updates_the_key_and_its_pin_stays(tmp_path, change):
    async def scenario(house):
        await booked(house)
        (pin,) = await pins(house, "101")
        await house.publish("evt_2", "dates_changed", time=LATER, version=2, **change)
        await asyncio.sleep(30)
        assert await state(house) == ("active", None)
        (key,) = await house.keys()
        assert key["core"]["window"]["end"] == change.get("validUntil", "2026-03-05T07:30:00Z")
        assert await house.told() == ["requested", "pending", "issued", "updated"]
        there, elsewhere = ("102", "101") if "rooms" in change else ("101", "102")
        assert (await pins(house, there), await pins(house, elsewhere)) == ([pin], [])

    play(tmp_path, scenario)


def test_b3_tenant_config_updated_v1_is_heeded_by_the_next_key_and_moves_none(tmp_path):
    async def scenario(house):
        await booked(house)
        (pin,) = await pins(house, "101")
        await house.policy(pinDigits=8)
        await asyncio.sleep(20)
        await house.publish("evt_2", reservationId="rsv_2", rooms=["rmu_102"])
        await house.settled()
        assert await pins(house, "101") == [pin]
        (longer,) = await pins(house, "102")
        assert (len(pin), len(longer)) == (6, 8)

    play(tmp_path, scenario)


def test_a7_2_and_a14_vendor_cloud_down_fails_the_key_after_five_retries_and_leaves_the_desk_a_task(tmp_path):
    async def scenario(house):
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1", version=1)
        await asyncio.sleep(20 * 60)
        key = (await house.keys())[0]
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", "vendor_unreachable")
        assert len(key["core"]["plan"]["made"]) == 6
        assert (await house.documents("reservations"))["rsv_1"]["status"] == "confirmed"
        assert len(await house.documents("manual_tasks")) == 1

    play(tmp_path, scenario)


def test_a7_2_vendor_that_refuses_for_good_is_not_asked_again(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.refit("101", "mock")
        await house.open_account(
            "mock", b"mock://?fail=issue&error=KEY_ISSUE_FAILED&permanent=true&capabilities=pin"
        )
        await house.publish("evt_1", version=1)
        await asyncio.sleep(30)
        key = (await house.keys())[0]
        assert (key["state"]["reason"], len(key["core"]["plan"]["made"])) == ("key_issue_failed", 1)

    play(tmp_path, scenario)


@pytest.mark.parametrize("active", [False, True], ids=["not yet active", "active"])
def test_a7_2_reservation_cancelled_v1_aborts_the_saga_or_begins_the_revocation(tmp_path, active):
    async def scenario(house):
        if not active:
            await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1", version=1)
        await asyncio.sleep(10)
        await house.mend()
        await house.publish("evt_2", "cancelled", time=LATER, version=2)
        await asyncio.sleep(300)
        assert await state(house) == (("revoked" if active else "failed"), "cancellation")
        assert await pins(house, "101") == []
        ends = ["issued", "revoked", "revoke_settled"] if active else ["failed"]
        assert await house.told() == ["requested", "pending", *ends]

    play(tmp_path, scenario)


@pytest.mark.parametrize("named", ELSEWHERE.values(), ids=ELSEWHERE)
def test_row_is_played_by_the_test_that_is_named(named):
    file, name = named.split("::")
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    found = {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert name in found
