"""A stay of several rooms: as few keys as its locks allow, each with a saga, and none waiting for another."""

import asyncio

from tests.support.sample_hotel import device_at, play

LATER = "2026-03-01T11:00:00Z"


async def of_two_vendors(house, mock=b"mock://"):
    """Put another vendor's lock on 203, and book it together with 101."""
    await house.refit("203", "mock")
    await house.open_account("mock", mock)
    await house.publish("evt_1", rooms=["rmu_101", "rmu_203"])


def by_vendor(keys):
    return {key["core"]["plan"]["choices"][0]["vendor"]: key for key in keys}


def test_two_rooms_of_one_vendor_are_one_key_with_one_pin_at_every_lock(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", rooms=["rmu_101", "rmu_203", "rmu_101"])
        await asyncio.sleep(10)
        (key,) = await house.keys()
        assert key["core"]["rooms"] == ["rmu_101", "rmu_203"]
        at = [row for door in ("101", "203", "front") for row in await house.keys_at(door)]
        assert len(at) == 3
        assert len({row["code"] for row in at}) == 1
        assert len({row["name"] for row in at}) == 3

    play(tmp_path, scenario)


def test_two_rooms_of_two_vendors_are_two_keys_of_one_stay(tmp_path):
    async def scenario(house):
        await of_two_vendors(house)
        await asyncio.sleep(10)
        keys = by_vendor(await house.keys())
        assert {vendor: key["state"]["type"] for vendor, key in keys.items()} == {
            "ttlock": "active",
            "mock": "active",
        }
        (stay,) = (await house.documents("reservations")).values()
        assert sorted(stay["credentials"]) == sorted(key["core"]["id"] for key in keys.values())
        grants = [each["grant"] for each in (await house.documents("grants")).values()]
        where = {(grant["vendor"], grant["device_id"]) for grant in grants}
        doors = {("ttlock", "101"), ("ttlock", "front"), ("mock", "203")}
        assert where == {(vendor, device_at(door)) for vendor, door in doors}
        assert len({grant["vendor_key"] for grant in grants}) == 3
        assert await house.keys_at("203") == []

    play(tmp_path, scenario)


def test_two_keys_of_one_stay_end_together(tmp_path):
    async def scenario(house):
        await of_two_vendors(house)
        await asyncio.sleep(10)
        await house.publish("evt_2", "checked_out", time=LATER)
        await asyncio.sleep(10)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked", "revoked"]
        states = {each["grant"]["state"]["type"] for each in (await house.documents("grants")).values()}
        assert states == {"removed"}

    play(tmp_path, scenario)


def test_a_vendor_that_fails_does_not_keep_the_other_vendor_s_key_from_the_guest(tmp_path):
    async def scenario(house):
        await of_two_vendors(house, b"mock://?fail=issue")
        await asyncio.sleep(5)
        keys = by_vendor(await house.keys())
        assert keys["ttlock"]["state"]["type"] == "active"
        assert keys["mock"]["state"]["type"] == "pending"
        await asyncio.sleep(15 * 60)
        keys = by_vendor(await house.keys())
        assert (keys["ttlock"]["state"]["type"], keys["mock"]["state"]["type"]) == ("active", "failed")
        (task,) = (await house.documents("manual_tasks")).values()
        assert (task["credential_id"], task["rooms"]) == (keys["mock"]["core"]["id"], ["rmu_203"])

    play(tmp_path, scenario)


def test_a_vendor_that_refuses_for_good_is_asked_once(tmp_path):
    async def scenario(house):
        await of_two_vendors(house, b"mock://?fail=issue&error=KEY_ISSUE_FAILED&permanent=true")
        await asyncio.sleep(60)  # where their phone is reached, a guest may say for a while
        key = by_vendor(await house.keys())["mock"]
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", "key_issue_failed")
        made = [each["choice"]["kind"] for each in key["core"]["plan"]["made"]]
        assert (made.count("pin_code"), {*made}) == (1, {"pin_code", "mobile_app"})

    play(tmp_path, scenario)


def test_every_event_of_a_key_names_its_stay_and_follows_the_one_before(tmp_path):
    async def scenario(house):
        await of_two_vendors(house)
        await asyncio.sleep(10)
        rows = list((await house.documents("outbox")).values())
        for key in await house.keys():
            own = [row for row in rows if row["aggregateId"] == key["core"]["id"]]
            assert [row["sequence"] for row in own] == [1, 2, 3]
        assert len({row["eventId"] for row in rows}) == 6
        assert {row["audit"]["operatorId"] for row in rows} == {"saga"}

    play(tmp_path, scenario)
