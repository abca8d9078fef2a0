"""A key at two gateways, of which one is busy with others: the doors of the other are none of its trouble."""

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from shared.vendor_kit.leases import DocumentLeases
from tests.support.sample_hotel import SILK, device_at, play

LATER = "2026-03-01T11:00:00Z"
NOW = {"validFrom": "2026-03-01T09:00:00Z"}


@asynccontextmanager
async def busy(house, gateway="501"):
    """Keep a gateway's turn with somebody else, such as another process's rush."""
    leases = DocumentLeases(house.fleet.documents, house.fleet.world.clock)

    async def hold():
        while True:
            lease = await leases.acquire(SILK, f"gateway:ttlock:{gateway}", "another", timedelta(seconds=20))
            await asyncio.sleep(0.05 if lease is None else 20.0001)

    holding = asyncio.ensure_future(hold())
    await asyncio.sleep(1)
    try:
        yield
    finally:
        holding.cancel()


async def learnt(house):
    """Have the gateways of all doors learnt."""
    stay = {"reservationId": "rsv_0", "guest": {"id": "gst_0"}, "rooms": ["rmu_101", "rmu_203"]}
    await house.publish("evt_0", **stay, validUntil="2026-03-02T07:30:00Z", validFrom="2026-03-02T05:30:00Z")
    await asyncio.sleep(20)


async def to_two_gateways(house):
    await house.publish("evt_1", rooms=["rmu_101", "rmu_203"], **NOW)
    await asyncio.sleep(30)
    (entry,) = [k for k in await house.keys() if k["core"]["holder"]["reservation_id"] == "rsv_1"]
    assert entry["state"]["type"] == "active"


def test_a_door_at_another_gateway_is_emptied_within_an_hour(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await to_two_gateways(house)
        async with busy(house):
            await house.publish("evt_2", "checked_out", time=LATER)
            await asyncio.sleep(2 * 3600)
            assert await house.keys_at("203") == []

    play(tmp_path, scenario)


@pytest.mark.parametrize("rooms", [["rmu_101"], ["rmu_101", "rmu_203"]], ids=["one door", "two gateways"])
def test_el3_a_guest_at_the_door_is_told_of_once_and_costs_no_attempt_while_we_wait_in_line(tmp_path, rooms):
    async def scenario(house):
        await house.unmap("front")
        await learnt(house)
        async with busy(house):
            await house.publish("evt_1", rooms=rooms, **NOW)
            await asyncio.sleep(20 * 60)
            (key,) = [k for k in await house.keys() if k["core"]["holder"]["reservation_id"] == "rsv_1"]
            (alarm,) = house.logged("ALERT")
            assert (alarm["runbook"], alarm["keyCredentialId"]) == ("lock/key-issue", key["core"]["id"])
            assert (key["state"]["type"], len(key["core"]["plan"]["made"])) == ("pending", 1)
        await asyncio.sleep(60)
        (key,) = [k for k in await house.keys() if k["core"]["holder"]["reservation_id"] == "rsv_1"]
        assert (key["state"]["type"], len(key["core"]["plan"]["made"])) == ("active", 1)

    play(tmp_path, scenario)


def test_waiting_in_line_the_door_at_the_other_gateway_has_its_key(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await learnt(house)
        async with busy(house):
            await house.publish("evt_1", rooms=["rmu_101", "rmu_203"])
            await asyncio.sleep(2 * 3600)
            assert len(await house.keys_at("203")) == 2

    play(tmp_path, scenario)


def test_doors_in_line_for_ten_minutes_are_alarmed_once_each_though_another_door_was_refused(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.publish("evt_1", rooms=["rmu_101", "rmu_102", "rmu_203"], **NOW)
        await asyncio.sleep(30)
        await house.fault("http_500", "keyboardPwd/delete", times=1)
        async with busy(house):
            await house.publish("evt_2", "checked_out", time=LATER)
            await asyncio.sleep(9 * 60)
            assert [alarm["deviceId"] for alarm in house.logged("ALERT")] == [device_at("203")]
            await asyncio.sleep(4 * 60)
            alarmed = [alarm["deviceId"] for alarm in house.logged("ALERT")]
            assert sorted(alarmed) == [device_at(door) for door in ("101", "102", "203")]

    play(tmp_path, scenario)
