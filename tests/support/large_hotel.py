"""The sample hotel with a wing of more rooms, whose locks may be in trouble one by one."""

from urllib.parse import parse_qs

import orjson

from infra.local.simulation.loop import run_virtually
from infra.simulators.ttlock.hotel import GatewayPlan, LockPlan, sample_hotel
from shared.ports.documents import Create, Ref
from shared.vendor_kit.http import Answer
from tests.support.sample_hotel import SILK, SampleHotel, device_at, hunted
from tests.support.simulated import simulated_fleet

FIRST_LOCK = 1_000_000
PASSCODES = "/v3/keyboardPwd/"


class Wing(SampleHotel):
    """A hotel that may have a word in what the vendor answers about the wing's locks."""

    async def at(self, operation, room, call):
        """Answer instead of the vendor what is asked of a room's passcodes; None lets the vendor answer."""

    async def send(self, call):
        """Be the vendor, unless the lock is in trouble."""
        _, found, operation = call.url.partition(PASSCODES)
        if found:
            (lock,) = parse_qs(call.body.decode())["lockId"]
            said = await self.at(operation, int(lock) - FIRST_LOCK, call)
            if said is not None:
                return said
        return await super().send(call)

    async def doors_with_keys(self, rooms):
        """Return the rooms whose locks still have a key."""
        listed = {
            each["lockId"] - FIRST_LOCK: each["listed"]["passcodes"]
            for each in (await self.steer("GET", "state"))["locks"]
        }
        return [room for room in rooms if listed[room]]


def refusal(code):
    """Return an answer in which TTLock says no."""
    return Answer(200, {}, orjson.dumps({"errcode": code, "errmsg": "no"}))


def play(home, scenario, rooms, hotel=Wing, seed=0):
    """Run a scenario in the sample hotel with a wing, whose rooms have one lock each and no other door."""

    async def main(clock):
        house = hotel(clock, seed, _plan(rooms))
        async with simulated_fleet(home, clock, seed, outside=house) as on:
            house.on = on
            await _map(house, rooms)
            await house.unmap("front")
            return await hunted(house, scenario)

    return run_virtually(main, seed)


def _plan(rooms):
    """Return the sample hotel and the wing, ten rooms to a gateway."""
    plan = sample_hotel()
    locks = [LockPlan(lock_id=FIRST_LOCK + room, alias=f"Room {room}") for room in rooms]
    ids = [lock.lock_id for lock in locks]
    gateways = [
        GatewayPlan(gateway_id=600 + first, name=f"Wing {first}", locks=tuple(ids[first : first + 10]))
        for first in range(0, len(ids), 10)
    ]
    more = {"locks": (*plan.locks, *locks), "gateways": (*plan.gateways, *gateways)}
    return plan.model_copy(update=more)


async def _map(house, rooms):
    store = house.fleet.documents.tenant(SILK)
    pattern = (await store.get(Ref("devices", device_at("101")))).data
    await house.rebuild([_device(pattern, room) for room in rooms])


def _device(pattern, room):
    id_ = f"lck_01KSAMP1E{room:0>17}"
    own = {"id": id_, "vendor_device": str(FIRST_LOCK + room), "rooms": [f"rmu_{room}"], "label": str(room)}
    return Create(Ref("devices", id_), {**pattern, **own})
