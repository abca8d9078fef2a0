"""A lock that may hang at another door gets no key until it is proven; what is to go from it goes."""

import asyncio
from dataclasses import replace

from tests.support.heard_hotel import play
from tests.support.looks import look
from tests.support.sample_hotel import DOORS, SILK, device_at
from tests.workflows.doors.test_doors_heard import NOW

LONGER = {**NOW, "validUntil": "2026-03-04T08:00:00Z"}
SECOND = {"reservationId": "rsv_2", "guest": {"id": "gst_2"}, "rooms": ["rmu_102"]}
LATER = "2026-03-01T10:00:00Z"


def swap(house, one, other):
    """Have two locks answer under each other's number, as after an exchange that nobody wrote down."""
    locks = house.sim.cloud.locks
    a, b = int(DOORS[one]), int(DOORS[other])
    locks[a], locks[b] = replace(locks[a], mac=locks[b].mac), replace(locks[b], mac=locks[a].mac)


async def prove(house, door):
    """Challenge a lock, and type the code where it should hang."""
    asked = {"tenant": str(SILK), "property": "ppt_kabul", "device": device_at(door), "by": "usr_7"}
    status, said = await house.on.send("challenge-door", asked, caller="operator")
    assert status == 200, said
    await asyncio.sleep(20)
    assert await house.try_door(door, pin=said["code"]) == "open"
    await house.heard(20)


async def quarantined(house):
    """Return the locks that get no key, as every function reads it."""
    return (await house.documents("premises"))["ppt_kabul"].get("quarantined", [])


async def risks(house):
    """Return what the readiness board says of each stay."""
    _, shown = await house.on.send("_cloud/readiness", method="GET", caller="operator")
    return {
        each["reservation"]: [risk.split(": ")[-1] for risk in each["risks"]] for each in shown["arrivals"]
    }


async def ask_for_keys(house):
    """Have a guest come to 102, and the one in 101 stay longer, while both doors are quarantined."""
    await house.publish("evt_2", **SECOND, **NOW)
    await house.publish("evt_3", version=2, time=LATER, **LONGER)
    await house.settled()


def test_no_key_comes_to_a_quarantined_lock_until_it_is_proven_and_keys_leave_it(tmp_path):
    async def scenario(house):
        await house.listen()
        await look(house)
        await house.publish("evt_1", version=1, **NOW)
        await house.settled()
        before = await house.keys_at("101")
        swap(house, "101", "102")
        await look(house)
        assert await quarantined(house) == [device_at("101"), device_at("102")]
        await ask_for_keys(house)
        refused = [each for each in house.logged("WARNING") if each["message"] == "a vendor made no key"]
        assert {each["cause"] for each in refused} == {"lock_swapped"}
        assert (await house.keys_at("102"), await house.keys_at("101")) == ([], before)
        assert (await risks(house))["rsv_2"] == ["key_issue_failed"]
        assert "swapped" in (await risks(house))["rsv_1"]
        # What closes a door is asked for all the same.
        await house.publish("evt_4", "checked_out", time="2026-03-01T11:00:00Z")
        await house.settled()
        assert await house.keys_at("101") == []
        await prove(house, "102")
        await house.heard(20 * 60)
        assert len(await house.keys_at("102")) == 1
        assert await quarantined(house) == [device_at("101")]

    play(tmp_path, scenario)
