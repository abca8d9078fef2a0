"""A group of a dozen rooms leaves while the gateway of most of their doors hangs: calls end in silence."""

import asyncio
from urllib.parse import parse_qs

import pytest

from infra.local.simulation.loop import run_virtually
from infra.simulators.ttlock.hotel import GatewayPlan, LockPlan, sample_hotel
from shared.ports.documents import Create, Ref
from shared.vendor_kit.http import TimedOut
from tests.guesthouse import SILK, Guesthouse, device_at
from tests.simulated import simulated_fleet

LATER = "2026-03-01T11:00:00Z"
FLOOR = range(301, 313)
HUNG = range(301, 311)
"""Ten doors hang together at one gateway; the last two have another, which is well."""


class Hotel(Guesthouse):
    """The sample hotel and a third floor, where a gateway may hang."""

    hangs = False

    async def send(self, call):
        """Be the vendor, who does not answer for a gateway that hangs."""
        if self.hangs and call.url.endswith("/v3/keyboardPwd/delete"):
            (lock,) = parse_qs(call.body.decode())["lockId"]
            if int(lock) - 1_000_000 in HUNG:
                await asyncio.sleep(call.timeout)
                raise TimedOut("no answer")
        return await super().send(call)

    async def doors_with_keys(self, rooms=FLOOR):
        """Return the rooms whose locks still have a key."""
        wanted = {1_000_000 + room for room in rooms}
        locks = (await self.steer("GET", "state"))["locks"]
        return [
            each["lockId"] - 1_000_000
            for each in locks
            if each["lockId"] in wanted and each["listed"]["passcodes"]
        ]


def _wing(rooms):
    """Return the sample hotel and more rooms, ten to a gateway."""
    plan = sample_hotel()
    locks = [LockPlan(lock_id=1_000_000 + room, alias=f"Room {room}") for room in rooms]
    ids = [lock.lock_id for lock in locks]
    gateways = [
        GatewayPlan(gateway_id=600 + first, name=f"Wing {first}", locks=tuple(ids[first : first + 10]))
        for first in range(0, len(ids), 10)
    ]
    more = {"locks": (*plan.locks, *locks), "gateways": (*plan.gateways, *gateways)}
    return plan.model_copy(update=more)


def play(home, scenario, seed=0, rooms=FLOOR):
    async def main(clock):
        house = Hotel(clock, seed, _wing(rooms))
        async with simulated_fleet(home, clock, seed, outside=house) as on:
            house.on = on
            await _map(house, rooms)
            await house.unmap("front")
            return await scenario(house)

    return run_virtually(main, seed)


async def _map(house, rooms):
    store = house.fleet.documents.tenant(SILK)
    pattern = (await store.get(Ref("devices", device_at("101")))).data
    writes = []
    for room in rooms:
        id_ = f"lck_01KSAMP1E{room:0>17}"
        own = {
            "id": id_,
            "vendor_device": str(1_000_000 + room),
            "rooms": [f"rmu_{room}"],
            "label": str(room),
        }
        writes.append(Create(Ref("devices", id_), {**pattern, **own}))
    await store.commit(writes)
    house.fleet.platform.estate.forget(SILK)


async def _group_leaves(house):
    await house.publish("evt_1", rooms=[f"rmu_{room}" for room in FLOOR])
    await asyncio.sleep(60)
    assert [key["state"]["type"] for key in await house.keys()] == ["active"]
    assert len(await house.doors_with_keys()) == 12
    house.hangs = True
    await house.publish("evt_2", "checked_out", time=LATER)


async def _business_as_usual(house):
    """Keep the account busy with other guests, whose doors are well."""
    for number in range(10_000):
        room = ("101", "102", "203", "204")[number % 4]
        stay = {
            "reservationId": f"rsv_o{number}",
            "rooms": [f"rmu_{room}"],
            "guest": {"id": f"gst_o{number}"},
        }
        await house.publish(f"evt_o{number}", **stay)
        await asyncio.sleep(8)


def _others(house, busy):
    return [asyncio.ensure_future(_business_as_usual(house))] if busy else []


@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "busy"])
def test_a_group_whose_key_cannot_be_taken_back_is_alarmed_within_minutes(tmp_path, busy):
    """A §8.3: a failed revoke at the vendor immediately raises a security alert."""

    async def scenario(house):
        await _group_leaves(house)
        others = _others(house, busy)
        await asyncio.sleep(5 * 60)
        for each in others:
            each.cancel()
        assert house.logged("ALERT") != []

    play(tmp_path, scenario)


@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "busy"])
def test_doors_that_are_well_are_emptied_though_others_hang(tmp_path, busy):
    """Two of the twelve doors could be emptied at once."""

    async def scenario(house):
        await _group_leaves(house)
        others = _others(house, busy)
        await asyncio.sleep(60 * 60)
        for each in others:
            each.cancel()
        assert await house.doors_with_keys([311, 312]) == []

    play(tmp_path, scenario)


def test_a_group_of_sixty_gets_its_key_from_locks_that_are_well_but_slow(tmp_path):
    """Five seconds a lock are usual; no call is refused, none is lost."""
    rooms = range(301, 361)

    async def scenario(house):
        await house.steer("PUT", "latency", cloudMs=[150, 400], gatewayMs=[4000, 7000])
        await house.publish("evt_1", rooms=[f"rmu_{room}" for room in rooms])
        await asyncio.sleep(30 * 60)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        assert len(await house.doors_with_keys(rooms)) == 60

    play(tmp_path, scenario, rooms=rooms)
