"""Locks: what the cloud tells of them, their own clocks and batteries, and freezing them whole."""

from tests.unit.infra.simulators.ttlock.integrator import ROOM


async def test_details_hold_what_an_adapter_must_not_keep(sim):
    lock = await sim.get("/v3/lock/detail", lockId=ROOM)
    assert lock["timezoneRawOffset"] == 16_200_000
    secrets = [lock[name] for name in ("adminPwd", "lockKey", "aesKeyStr", "noKeyPwd", "lockData")]
    assert all(len(secret) >= 7 for secret in secrets)
    assert all(secret not in repr(sim.app.cloud.locks) for secret in secrets)


async def test_locks_are_found_by_a_part_of_their_alias(sim):
    found = await sim.get("/v3/lock/list", pageNo=1, pageSize=20, lockAlias="room 20")
    assert [lock["lockAlias"] for lock in found["list"]] == ["Room 203", "Room 204"]


async def test_a_lock_tells_its_own_time_to_the_second(sim):
    sim.wait(milliseconds=700)
    await sim.control("PATCH", f"/locks/{ROOM}", {"skewSeconds": 1800})
    assert (await sim.get("/v3/lock/queryDate", lockId=ROOM))["date"] == sim.ms - 700 + 1_800_000


async def test_a_lock_s_time_can_be_set_right(sim):
    await sim.control("PATCH", f"/locks/{ROOM}", {"skewSeconds": -1800})
    assert (await sim.post("/v3/lock/updateDate", lockId=ROOM))["date"] == sim.ms
    assert (await sim.get("/v3/lock/queryDate", lockId=ROOM))["date"] == sim.ms


async def listed_battery(sim):
    """Return the battery that the list shows."""
    locks = (await sim.get("/v3/lock/list", pageNo=1, pageSize=20))["list"]
    return next(lock["electricQuantity"] for lock in locks if lock["lockId"] == ROOM)


async def test_the_list_shows_a_stale_battery_until_somebody_asks_the_lock(sim):
    await sim.control("PATCH", f"/locks/{ROOM}", {"battery": 12})
    assert await listed_battery(sim) == 90
    assert (await sim.get("/v3/lock/queryElectricQuantity", lockId=ROOM))["electricQuantity"] == 12
    assert await listed_battery(sim) == 12


async def test_an_opened_door_locks_itself_again(sim):
    assert (await sim.get("/v3/lock/queryOpenState", lockId=ROOM))["state"] == 0
    await sim.add_pin("482913")
    await sim.try_door(pin="482913")
    assert (await sim.get("/v3/lock/queryOpenState", lockId=ROOM))["state"] == 1
    sim.wait(seconds=5)
    assert (await sim.get("/v3/lock/queryOpenState", lockId=ROOM))["state"] == 0


async def test_freezing_shuts_out_everybody(sim):
    await sim.add_pin("482913")
    await sim.post("/v3/identityCard/add", lockId=ROOM, cardNumber="77", startDate=0, endDate=0, addType=2)
    await sim.post("/v3/lock/freeze", lockId=ROOM)
    assert (await sim.get("/v3/lock/queryStatus", lockId=ROOM))["status"] == 1
    assert (await sim.get("/v3/lock/detail", lockId=ROOM))["isFrozen"] == 1
    assert [await sim.try_door(pin="482913"), await sim.try_door(card="77")] == ["frozen", "frozen"]
    await sim.post("/v3/lock/unfreeze", lockId=ROOM)
    assert [await sim.try_door(pin="482913"), await sim.try_door(card="77")] == ["open", "open"]


async def test_a_frozen_lock_takes_nothing_new(sim):
    await sim.post("/v3/lock/freeze", lockId=ROOM)
    assert (await sim.add_pin())["errcode"] == -2025


async def test_a_lock_that_cannot_be_frozen_says_so(at_a_hotel, hotel):
    sim = await at_a_hotel(locks=[{**lock, "featureValue": "3"} for lock in hotel["locks"]])
    assert (await sim.post("/v3/lock/freeze", lockId=ROOM))["errcode"] == -4043


async def test_a_dead_lock_opens_for_nobody_and_notes_nothing(sim):
    await sim.add_pin("482913")
    await sim.control("PATCH", f"/locks/{ROOM}", {"battery": 0})
    assert await sim.try_door(pin="482913") == "no_power"
    assert (await sim.get("/v3/lockRecord/list", lockId=ROOM, pageNo=1, pageSize=9))["total"] == 0
