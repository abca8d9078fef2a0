"""Locks looked at: registered once, each crossing told once, and no list that is cut short is believed."""

import asyncio
from dataclasses import replace

import orjson

from tests.support.heard_hotel import play
from tests.support.looks import lock, look
from tests.support.sample_hotel import DOORS, SILK, device_at


async def told(house, device=None):
    """Return what was told of locks, in order: word and device, or of one device the words."""
    rows = (await house.documents("outbox")).values()
    ours = [row for row in rows if ".device." in row["subject"]]
    said = [(row["subject"].split(".")[-2], orjson.loads(row["body"])["data"]) for row in ours]
    if device is None:
        return [(word, data["deviceId"]) for word, data in said]
    return [(word, data) for word, data in said if data["deviceId"] == device]


def give_away(locks, door):
    """Have the vendor list a lock no more: it is another account's."""
    number = int(DOORS[door])
    locks[number] = replace(locks[number], admin="another")


async def assert_shown(house):
    """Check what people see of two locks, and of the map."""
    _, shown = await house.on.send("_cloud/devices", method="GET", caller="operator")
    states = {each["device"]: (each["state"], each["battery"], each["clock"]) for each in shown["devices"]}
    assert states[device_at("102")] == ("online", 90, "wrong")
    assert states[device_at("101")] == ("online", 19, "right")
    _, found = await house.on.send("_cloud/map", method="GET", caller="operator")
    (hotel,) = found["maps"]
    assert hotel["shared_doors"] == [device_at("front")]
    assert (hotel["rooms_without_a_lock"], hotel["swapped"], len(hotel["unproven"])) == ([], [], 5)


async def assert_registered(house):
    """Check that every lock was registered once, as it is."""
    joined = [each for each in await told(house) if each[0] == "registered"]
    assert sorted(joined) == sorted(("registered", device_at(door)) for door in DOORS)
    (_, lock_101), *_ = await told(house, device_at("101"))
    assert (lock_101["label"], lock_101["rooms"], lock_101["firmware"]) == ("Room 101", ["rmu_101"], "5.1.0")
    assert lock_101["capabilities"]["pin"] is True


def test_locks_are_registered_once_and_each_crossing_is_told_once(tmp_path):
    async def scenario(house):
        await lock(house, "102", skew_seconds=400)
        await look(house)
        await assert_registered(house)
        await lock(house, "101", battery=19)
        await house.try_door("101", pin="73519264")  # a lock tells of its battery with its records
        await look(house, 2)
        await lock(house, "102", skew_seconds=-700)
        await house.steer("PATCH", "gateways/502", online=False)
        await look(house, 1)
        await look(house, 1)
        await house.steer("PATCH", "gateways/502", online=True)
        await look(house)
        words = {
            door: [(w, d.get("severity")) for w, d in await told(house, device_at(door))][1:]
            for door in DOORS
        }
        assert words == {
            "101": [("battery_low", None), ("health_alert", "warning")],
            "102": [("health_alert", "warning"), ("health_alert", "critical")],
            "203": [("offline", None), ("health_alert", "warning"), ("online", None)],
            "204": [("offline", None), ("health_alert", "warning"), ("online", None)],
            "front": [],
        }
        await assert_shown(house)
        (paged,) = [a for a in house.logged("ALERT") if "clock" in a["message"]]
        assert paged["deviceId"] == device_at("102")
        assert not [each for each in await house.kept("device_health") if "due_at" in each]

    play(tmp_path, scenario)


def test_a_list_that_is_cut_short_or_swapped_changes_no_door(tmp_path):
    async def scenario(house):
        await look(house)
        before, locks = await house.documents("devices"), house.sim.cloud.locks
        known, held = await house.documents("device_health"), dict(locks)
        for door in ("203", "204"):
            give_away(locks, door)
        await look(house, 0.01)
        assert await house.documents("device_health") == known
        (alert,) = house.logged("ALERT")
        assert alert["because"] == "2 of 5 locks are not in the vendor's list"
        locks.update(held)
        give_away(locks, "204")  # one in five may go, and is missed
        await look(house, 0.01)
        gone = await house.documents("device_health")
        assert [each for each in gone if "missing_since" in gone[each]] == [device_at("204")]
        locks.update(held)
        one, other = int(DOORS["101"]), int(DOORS["102"])
        locks[one], locks[other] = (
            replace(held[one], mac=held[other].mac),
            replace(held[other], mac=held[one].mac),
        )
        await look(house, 0.01)
        swapped = await house.documents("device_health")
        assert [each for each in swapped if "swapped_at" in swapped[each]] == [
            device_at("101"),
            device_at("102"),
        ]
        assert [a["deviceId"] for a in house.logged("ALERT")[1:]] == [device_at("101"), device_at("102")]
        assert await house.documents("devices") == before

    play(tmp_path, scenario)


def test_a_lock_out_of_use_leaves_its_hotel_and_its_account_must_change(tmp_path):
    async def scenario(house):
        await look(house)
        body = {
            "tenant": str(SILK),
            "device": device_at("102"),
            "by": "usr_7",
            "because": "the door was bricked up",
        }
        await house.publish("evt_1", rooms=["rmu_102"])
        await house.settled()
        status, refused = await house.on.send("take-out-of-use", body, caller="operator")
        assert (status, refused["error"]["field"]) == (400, "device")
        await house.publish("evt_2", "cancelled", time="2026-03-01T10:00:00Z")
        await house.settled()
        for _ in range(2):
            status, _ = await house.on.send("take-out-of-use", body, caller="operator")
            assert status == 200
        assert device_at("102") not in await house.documents("devices")
        await look(house)
        await look(house, 24.5)
        await look(house)
        (alert,) = house.logged("ALERT")
        assert alert["message"].startswith("an account was not changed")
        account = orjson.loads((await house.fleet.platform.secrets.latest(NAME)).value.reveal())
        await house.open_account("ttlock", orjson.dumps({**account, "note": "changed"}))
        await look(house, 0.01)
        kept = (await house.documents("device_health"))[device_at("102")]
        assert kept["out_of_use"]["rotated_at"]
        assert len(house.logged("ALERT")) == 1

    play(tmp_path, scenario)


NAME = "lock-ttlock-tnt_silk-ppt_kabul-api"


def test_locks_are_looked_at_by_the_clock_and_heard_each_night(tmp_path):
    async def scenario(house):
        await asyncio.sleep(14 * 3600)  # from noon in Kabul till after two at night
        await house.settled()
        assert len(await house.kept("device_health")) == 5
        (hearing,) = await house.kept("hearings")
        assert hearing["polled_at"]

    play(tmp_path, scenario)


def test_a_challenge_proves_a_lock_at_its_door_and_finds_one_that_was_swapped(tmp_path):
    async def challenged(house, door):
        body = {"tenant": str(SILK), "property": "ppt_kabul", "device": device_at(door), "by": "usr_7"}
        status, said = await house.on.send("challenge-door", body, caller="operator")
        assert status == 200, said
        await asyncio.sleep(20)
        return said["code"]

    async def scenario(house):
        await house.listen()
        await look(house)
        code = await challenged(house, "101")
        assert await house.try_door("101", pin=code) == "open"
        await house.heard(20)
        record = (await house.documents("device_health"))[device_at("101")]
        assert record["proven_at"]
        # The installer hung 203's lock at 204: whoever stands at 204 types its code at 203's lock.
        code = await challenged(house, "204")
        assert await house.try_door("203", pin=code) == "unknown"
        await house.heard(700)
        swapped = await house.documents("device_health")
        assert {each for each in swapped if "swapped_at" in swapped[each]} == {
            device_at("203"),
            device_at("204"),
        }
        (alert,) = house.logged("ALERT")
        assert (alert["deviceId"], device_at("203") in alert["because"]) == (device_at("204"), True)
        assert await house.kept("anomalies") == []
        assert [await house.keys_at(door) for door in DOORS] == [[]] * 5
        assert all(each["over"] for each in await house.kept("challenges"))

    play(tmp_path, scenario)


def test_arriving_keys_are_read_back_and_one_that_vanished_is_placed_again(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", validFrom="2026-03-01T12:00:00Z", validUntil="2026-03-03T12:00:00Z")
        await house.settled()
        ((one,),) = [await house.keys_at("101")]
        cloud, lock_ = house.sim.cloud, int(DOORS["101"])
        for row in list(cloud.passcodes.of(lock_)):
            cloud.doors[lock_].forget_code(row.code)
            cloud.passcodes.drop(row.passcode_id)
        await asyncio.sleep(2 * 3600)  # past two hours before the guest comes
        await house.settled()
        ((again,),) = [await house.keys_at("101")]
        assert again["code"] == one["code"]
        assert [each["deviceId"] for each in house.logged("WARNING") if "arrival" in each["message"]] == [
            device_at("101")
        ]
        (hearing,) = await house.kept("hearings")
        assert hearing["read_back_at"]

    play(tmp_path, scenario)
