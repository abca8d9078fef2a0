"""Run in a checkout with Acme in it: the sample hotel has Acme's locks, a guest comes, and a door opens."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import orjson

from infra.local.sample import moving
from infra.local.sample.account import simulator_address
from infra.local.sample.load import read_sample
from infra.local.simulation.loop import run_virtually
from infra.simulators.kit.app import Simulator
from infra.simulators.kit.world import SimWorld
from infra.simulators.registry import simulated_vendor
from shared.domain.kinds import VendorCode
from shared.vendor_kit.http import Call
from tests.contract.lock.simulated_setting import Straight
from tests.support.sample_hotel import BOOKING, message
from tests.support.simulated import simulated_fleet

ACME, CONTROL = VendorCode("acme"), "steer"
UNTIL_THE_STAY = 2 * 86_400


class World(Straight):
    """All that is outside the fleet: Acme."""

    async def close(self):
        """Nothing is open."""

    async def steer(self, method, path, **body):
        """Use the simulator's control plane."""
        headers = {"authorization": f"Bearer {CONTROL}", "content-type": "application/json"}
        url = f"{simulator_address(8788)}/_sim/{path}"
        answer = await self.send(Call(method, url, headers, orjson.dumps(body)))
        assert answer.status < 300, answer.body
        return orjson.loads(answer.body)


def hotel_at_acme():
    """Return the sample hotel, with Acme's locks at its doors."""
    hotel = read_sample()
    return replace(hotel, devices=tuple(replace(each, vendor=ACME) for each in hotel.devices))


async def stay(clock, home):
    """Book, and try two doors when the guest has come."""
    world = SimWorld(now=clock.now, chance=Random(7), sleep=asyncio.sleep, control_token=CONTROL)
    acme = World(Simulator(simulated_vendor(ACME), world))
    async with simulated_fleet(home, clock, outside=acme) as on:
        await on.fleet.bus.publish(f"{BOOKING}.confirmed.v1", [message("evt_1")])
        await on.fleet.bus.idle()
        await on.fleet.sagas.settled()
        locks = (await acme.steer("GET", "state"))["locks"]
        (pin,) = {code["code"] for lock in locks for code in lock["codes"]}
        await acme.steer("POST", "clock", advanceSeconds=UNTIL_THE_STAY)
        own, other = [await acme.steer("POST", f"doors/{door}/try", pin=pin) for door in (1000101, 1000102)]
    return {"opens": own["opens"], "neighbour_opens": other["opens"]}


def main(home):
    """Play the stay, and print what became of it."""
    moving.read_sample = hotel_at_acme
    print(orjson.dumps(run_virtually(lambda clock: stay(clock, Path(home)), 7)).decode())  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
