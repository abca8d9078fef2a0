"""One stay in rooms of four vendors: a key of its own kind for each, made in its time, and taken back."""

import asyncio
from datetime import UTC, datetime, timedelta

from tests.support.mixed_hotel import play_mixed, vendor_of
from tests.support.vendors import ASSA_ABLOY, GENERIC_WIEGAND, SALTO, TTLOCK

ROOMS = ["rmu_101", "rmu_102", "rmu_203", "rmu_204"]
ARRIVES = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
MAIL, PHONE = "guest@example.org", "+93700000001"
GUEST = {"id": "gst_1", "displayName": "A Guest", "contact": {"email": MAIL, "phoneE164": PHONE}}
CARDS_FROM = ARRIVES - timedelta(hours=12)


async def until(house, moment):
    """Let time pass."""
    await asyncio.sleep((moment - house.fleet.platform.clock.now()).total_seconds())


async def by_vendor(house):
    """Return the keys of the stay by whose locks they open."""
    return {vendor_of(key): key for key in await house.keys()}


async def states(house):
    return {vendor: key["state"]["type"] for vendor, key in (await by_vendor(house)).items()}


async def opening(house):
    """Try each room's door with what its guest was given."""
    codes = {each["code"] for each in await house.keys_at("101")}
    at_101 = [await house.steer("POST", "doors/1000101/try", pin=code) for code in codes]
    at_102 = await house.steer_at(ASSA_ABLOY, "POST", "doors/1000102/try", ekey=MAIL)
    at_203 = await house.steer_at(SALTO, "POST", "doors/1000203/try", ekey=PHONE)
    now = house.fleet.platform.clock.now()
    at_204 = any(house.desk.tried(job, "1000204", now) for job in house.desk.written)
    return [any(each["opens"] for each in at_101), at_102["opens"], at_203["opens"], at_204]


def test_a_stay_at_four_vendors_gets_a_key_of_each_kind_and_loses_them_at_check_out(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", rooms=ROOMS, guest=GUEST)
        await asyncio.sleep(5)
        await house.open_all_accounts()
        await asyncio.sleep(300)
        told = sorted(await house.documents("guest_accounts"))
        assert told == ["assa-abloy.rsv_1", "salto.rsv_1"], "who sends nothing to phones is told of none"
        booked = await states(house)
        await until(house, CARDS_FROM - timedelta(seconds=10))
        await house.at_the_desk(300)
        carded = await states(house)
        await until(house, ARRIVES + timedelta(minutes=5))
        lived = await states(house), await opening(house)
        await house.publish("evt_2", "checked_out", time="2026-03-02T10:00:00Z")
        await asyncio.sleep(120)
        return booked, carded, lived, await states(house), await opening(house), await by_vendor(house)

    booked, carded, (lived, opens), left, shut, keys = play_mixed(tmp_path, scenario)
    assert (booked[TTLOCK], booked[ASSA_ABLOY]) == ("active", "active")
    assert {booked[SALTO], booked[GENERIC_WIEGAND]} == {"pending"}
    assert carded[GENERIC_WIEGAND] == "active"
    assert set(lived.values()) == {"active"}
    assert opens == [True] * 4
    assert set(left.values()) == {"revoked"}
    assert shut == [False, False, False, True]
    settled = {vendor: [lock["ok"] for lock in key["state"]["settlement"]] for vendor, key in keys.items()}
    assert settled == {TTLOCK: [True], ASSA_ABLOY: [True], SALTO: [True], GENERIC_WIEGAND: [False]}


def test_a_phone_that_nobody_named_gets_no_key_once_its_booking_s_contact_was_heard(tmp_path):
    async def scenario(house):
        await house.open_all_accounts()
        await house.publish("evt_1", rooms=["rmu_102"])
        await asyncio.sleep(15)
        waiting = await states(house)
        await asyncio.sleep(60)
        ((vendor, key),) = (await by_vendor(house)).items()
        return waiting, vendor, key["state"]

    waiting, vendor, state = play_mixed(tmp_path, scenario)
    assert waiting == {ASSA_ABLOY: "requested"}
    assert (vendor, state["type"]) == (ASSA_ABLOY, "failed")
    assert state["reason"] == "key_issue_failed"
