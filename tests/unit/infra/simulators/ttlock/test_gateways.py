"""Gateways: in reach or not, online or not, and one thing at a time."""

import asyncio

import pytest

from tests.unit.infra.simulators.ttlock.integrator import OTHER_ROOM, ROOM, UPSTAIRS

REMOTE = [
    ("get", "/v3/lock/queryDate"),
    ("post", "/v3/lock/updateDate"),
    ("get", "/v3/lock/queryElectricQuantity"),
    ("get", "/v3/lock/queryOpenState"),
    ("get", "/v3/lock/queryStatus"),
    ("post", "/v3/lock/freeze"),
    ("post", "/v3/lock/unfreeze"),
]


async def ask(sim, method, path, lock=ROOM):
    """Ask a lock something over its gateway; return the errcode."""
    return (await getattr(sim, method)(path, lockId=lock)).get("errcode", 0)


@pytest.mark.parametrize(("method", "path"), REMOTE)
async def test_a_lock_is_asked_over_a_gateway_that_is_online_and_free(sim, method, path):
    assert await ask(sim, method, path) == 0
    await sim.control("PATCH", "/gateways/501", {"busy": True})
    assert await ask(sim, method, path) == -3003
    await sim.control("PATCH", "/gateways/501", {"online": False, "busy": False})
    assert await ask(sim, method, path) == -3002
    await sim.control("PATCH", f"/locks/{ROOM}", {"inReach": False})
    assert await ask(sim, method, path) == -2012


async def test_a_lock_with_a_dead_battery_cannot_be_reached(sim):
    await sim.control("PATCH", f"/locks/{ROOM}", {"battery": 0})
    assert (await sim.add_pin())["errcode"] == -2012


async def test_a_second_operation_finds_the_gateway_busy_and_the_next_one_does_not(sim, settled):
    sim.gate = asyncio.Event()
    await sim.control("PUT", "/latency", {"gatewayMs": [900, 900]})
    first = asyncio.create_task(sim.add_pin("482913"))
    await settled()
    assert (await sim.add_pin("739182", lock=OTHER_ROOM))["errcode"] == -3003
    sim.gate.set()
    assert "keyboardPwdId" in await first
    assert "keyboardPwdId" in await sim.add_pin("739182", lock=OTHER_ROOM)


async def test_nothing_is_in_the_lock_or_listed_before_the_air_has_taken_its_time(sim, settled):
    sim.gate = asyncio.Event()
    await sim.control("PUT", "/latency", {"gatewayMs": [900, 900]})
    adding = asyncio.create_task(sim.add_pin("482913"))
    await settled()
    assert (await sim.pins(), await sim.try_door(pin="482913")) == ([], "unknown")
    sim.gate.set()
    await adding
    assert await sim.try_door(pin="482913") == "open"


async def test_a_gateway_that_is_lost_during_an_operation_writes_nothing(sim, settled):
    sim.gate = asyncio.Event()
    await sim.control("PUT", "/latency", {"gatewayMs": [900, 900]})
    adding = asyncio.create_task(sim.add_pin("482913"))
    await settled()
    await sim.control("PATCH", "/gateways/501", {"online": False})
    sim.gate.set()
    assert (await adding)["errcode"] == -3002
    assert (await sim.pins(), await sim.try_door(pin="482913")) == ([], "unknown")


async def test_a_gateway_is_free_again_after_a_refusal(sim):
    await sim.add_pin("482913", addType=1)
    await sim.post("/v3/lock/freeze", lockId=ROOM)
    assert (await sim.add_pin("739182"))["errcode"] == -2025
    assert await ask(sim, "post", "/v3/lock/unfreeze") == 0


async def test_a_lock_in_reach_of_two_gateways_takes_the_one_that_can(at_a_hotel, hotel):
    hotel["gateways"][1]["locks"].append(ROOM)
    sim = await at_a_hotel()
    await sim.control("PATCH", "/gateways/501", {"online": False})
    assert "keyboardPwdId" in await sim.add_pin()
    await sim.control("PATCH", "/gateways/502", {"busy": True})
    assert (await sim.add_pin("739182"))["errcode"] == -3003


async def test_gateways_are_listed_with_what_they_hear(sim):
    await sim.control("PATCH", "/gateways/502", {"online": False})
    await sim.control("PATCH", f"/locks/{ROOM}", {"inReach": False})
    rows = (await sim.get("/v3/gateway/list", pageNo=1, pageSize=20))["list"]
    assert [(row["gatewayId"], row["lockNum"], row["isOnline"]) for row in rows] == [(501, 2, 1), (502, 2, 0)]
    assert (await sim.get("/v3/gateway/detail", gatewayId=501)) == rows[0]
    heard = (await sim.get("/v3/gateway/listLock", gatewayId=502))["list"]
    assert [lock["lockId"] for lock in heard] == [UPSTAIRS, 1000204]
    listed = (await sim.get("/v3/lock/list", pageNo=1, pageSize=20))["list"]
    assert {lock["lockId"]: lock["hasGateway"] for lock in listed}[ROOM] == 0


async def test_a_lock_tells_who_hears_it_and_how_well(at_a_hotel, hotel):
    hotel["gateways"][1]["locks"].append(ROOM)
    sim = await at_a_hotel()
    near = (await sim.get("/v3/gateway/listByLock", lockId=ROOM))["list"]
    assert [(row["gatewayId"], row["rssi"]) for row in near] == [(501, -65), (502, -71)]
    heard = (await sim.get("/v3/gateway/listLock", gatewayId=502))["list"]
    assert {row["lockId"]: row["rssi"] for row in heard} == {UPSTAIRS: -65, 1000204: -65, ROOM: -71}


async def test_a_lock_may_be_heard_by_another_gateway_from_now_on(sim):
    await sim.control("PATCH", "/gateways/501", {"locks": [OTHER_ROOM, 7]})
    assert (await sim.add_pin())["errcode"] == -2012
    await sim.control("PATCH", "/gateways/502", {"locks": [ROOM]})
    assert "keyboardPwdId" in await sim.add_pin()
    near = (await sim.get("/v3/gateway/listByLock", lockId=ROOM))["list"]
    assert [row["gatewayId"] for row in near] == [502]


async def test_a_gateway_that_fell_silent_is_forgotten_after_half_an_hour(sim):
    await sim.control("PATCH", "/gateways/501", {"online": False})
    sim.wait(minutes=29)
    assert (await sim.get("/v3/gateway/listByLock", lockId=ROOM))["list"]
    sim.wait(minutes=1)
    assert (await sim.get("/v3/gateway/listByLock", lockId=ROOM))["list"] == []
    assert (await sim.get("/v3/gateway/listLock", gatewayId=501))["list"] == []
    await sim.control("PATCH", "/gateways/501", {"online": True})
    assert (await sim.get("/v3/gateway/listByLock", lockId=ROOM))["list"]


async def test_an_unknown_gateway_and_a_stranger_s_are_refused(at_a_hotel, hotel):
    sim = await at_a_hotel(accounts=[*hotel["accounts"], {"username": "stranger", "password": "own"}])
    assert (await sim.get("/v3/gateway/detail", gatewayId=9))["errcode"] == -4037
    await sim.login("stranger", "own")
    assert (await sim.get("/v3/gateway/listLock", gatewayId=501))["errcode"] == -2018
    assert (await sim.get("/v3/gateway/list", pageNo=1, pageSize=20))["total"] == 0
