"""A lock that is nearly full keeps its last places for guests who come soon; other keys wait (trial EL4)."""

import asyncio
from datetime import UTC, datetime, timedelta

from shared.domain.kinds import KeyCredentialKind
from shared.vendors.mock import capabilities
from tests.support.sample_hotel import play

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
FAR = NOW + timedelta(hours=73)
ROOM_FOR = 10
LATER = 7
"""Of ten places three are kept: one for each guest who may come to the room within 72 hours."""


def stay(number, start, hours=12):
    window = {"validFrom": start.isoformat(), "validUntil": (start + timedelta(hours=hours)).isoformat()}
    return {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}, **window}


async def nearly_full(house):
    """Fill a lock with the keys of guests who come in weeks, as far as they may."""
    await house.unmap("front")
    await house.refit("101", "mock")
    await house.open_account("mock", f"mock://?room={ROOM_FOR}".encode())
    for number in range(LATER):
        await house.publish(f"evt_{number}", **stay(number, NOW + timedelta(days=10 + number)))
    await house.keys_active(LATER)


async def waiting(house):
    """Return the keys that wait, with their reasons."""
    kept = (await house.documents("credentials")).values()
    return [each for each in kept if each["credential"]["state"]["type"] == "requested" and "waits" in each]


def test_far_booking_waits_with_its_reason_while_a_walk_in_for_tonight_finds_a_place(tmp_path):
    async def scenario(house):
        await nearly_full(house)
        await house.publish("evt_far", **stay("far", FAR))
        await house.publish("evt_tonight", **stay("tonight", NOW + timedelta(hours=10)))
        await house.keys_active(LATER + 1)
        await house.settled()
        (key,) = await waiting(house)
        assert "has 7 or more: the other 3 are for guests who come within 72 hours" in key["waits"]["because"]
        assert key["credential"]["core"]["holder"]["reservation_id"] == "rsv_far"
        assert key["saga"]["parked"]  # and nothing runs for it
        assert await house.documents("manual_tasks") == {}
        told = [row["subject"].split(".")[-2] for row in (await house.documents("outbox")).values()]
        assert told.count("requested") == LATER + 2
        # 72 hours before it comes, it is made, and the next walk-in finds a place too.
        await asyncio.sleep(3600 + 120)
        assert await waiting(house) == []
        await house.keys_active(LATER + 2)
        await house.publish("evt_next", **stay("next", NOW + timedelta(hours=30)))
        await house.keys_active(LATER + 3)

    play(tmp_path, scenario)


def test_of_those_who_wait_the_nearest_arrival_is_made_first(tmp_path):
    async def scenario(house):
        await nearly_full(house)
        for number, hours in (("b", 74), ("a", 73), ("c", 75)):
            await house.publish(f"evt_{number}", **stay(number, NOW + timedelta(hours=hours), hours=1))
        await house.settled()
        assert len(await waiting(house)) == 3
        left = []
        for _ in range(3):
            await asyncio.sleep(3600 + 60)
            left.append(
                sorted(
                    each["credential"]["core"]["holder"]["reservation_id"] for each in await waiting(house)
                )
            )
        assert left == [["rsv_b", "rsv_c"], ["rsv_c"], []]

    play(tmp_path, scenario)


def test_booking_that_waits_and_is_cancelled_asks_no_vendor(tmp_path):
    async def scenario(house):
        await nearly_full(house)
        await house.publish("evt_far", **stay("far", FAR))
        await house.settled()
        await house.publish("evt_off", "cancelled", time="2026-03-01T10:00:00Z", reservationId="rsv_far")
        await house.settled()
        assert await waiting(house) == []
        state = (await house.keys())[-1]["state"]
        assert (state["type"], state["reason"]) == ("failed", "cancellation")
        grants = (await house.documents("grants")).values()
        assert len(grants) == LATER

    play(tmp_path, scenario)


def test_lead_time_of_the_policy_is_kept_though_the_lock_has_room(tmp_path):
    async def scenario(house):
        await house.policy(leadTimeHours=24)
        await house.publish("evt_1", **stay("1", NOW + timedelta(hours=25)))
        await house.settled()
        (key,) = await waiting(house)
        assert key["waits"]["because"] == "keys are made 24 hours before arrival, as the policy wants"
        assert await house.keys_at("101") == []
        await asyncio.sleep(3600 + 120)
        assert await waiting(house) == []
        assert len(await house.keys_at("101")) == 1

    play(tmp_path, scenario)


def test_places_of_a_hotel_s_locks_are_planned_and_too_few_are_told_of_once_a_day(tmp_path, monkeypatch):
    monkeypatch.setattr(capabilities, "CAPACITY", {KeyCredentialKind.PIN_CODE: 5}, raising=False)

    async def scenario(house):
        await nearly_full(house)
        # Another day of six guests at a lock that keeps five.
        for number in range(6):
            await house.publish(f"evt_more_{number}", **stay(f"more_{number}", NOW + timedelta(hours=74)))
        await house.settled()
        for _ in range(2):
            status, answer = await house.on.send("plan-quota", {}, caller="operator")
            assert status == 200, answer
        (lock,) = answer["places"]
        assert (lock["label"], lock["capacity"], lock["taken"]) == ("Room 101", 5, LATER)
        assert lock["waiting"] == 6
        assert lock["fills_at"].startswith("2026-03-01T")  # seven stand already where five may
        (alert,) = [line for line in house.logged("ALERT") if "more keys than places" in line["message"]]
        assert (alert["fillsAt"], alert["runbook"]) == (lock["fills_at"], "lock/places")
        assert alert["because"] == f"{LATER} of 5 places taken, 6 keys wait"

    play(tmp_path, scenario)
