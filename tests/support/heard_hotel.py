"""The sample hotel whose locks' vendor calls back: each attempt at a door is told to the fleet."""

import asyncio
from random import Random
from urllib.parse import urlencode

from infra.local.simulation.loop import run_virtually
from infra.simulators.kit.world import SimWorld
from infra.simulators.ttlock.app import ttlock_app
from infra.simulators.ttlock.hotel import sample_hotel
from shared.domain.secret import Secret
from tests.contract.lock.simulated_setting import Straight
from tests.support.sample_hotel import CONTROL, DOORS, SampleHotel, hunted
from tests.support.simulated import simulated_fleet

SECRET = "x3Jd0kqYw6ZtU1rSg7aBcA"
RECEIVER = "webhook-ttlock"
PATH = f"{RECEIVER}/tnt_silk/ppt_kabul/{SECRET}"


class HeardHotel(SampleHotel):
    """A simulated fleet with doors that are heard of."""

    def __init__(self, clock, seed):
        super().__init__(clock, seed)
        world = SimWorld(
            now=clock.now,
            chance=Random(seed),
            sleep=asyncio.sleep,
            hotel=sample_hotel(),
            control_token=CONTROL,
            post=self.call_back,
        )
        self.sim = ttlock_app(world)
        self.vendor = Straight(self.sim)
        self.answers = []

    async def call_back(self, url, headers, body):
        """Be the wire from the vendor's cloud to the fleet."""
        status, answer = await self.on.send(url.partition("8787/")[2], body, headers=dict(headers))
        self.answers.append(status)
        return status, answer

    async def listen(self):
        """Agree on a secret address with the vendor; it calls back whom its owner has logged in by."""
        await self.fleet.platform.secrets.add(
            "lock-ttlock-tnt_silk-ppt_kabul-webhook", Secret(SECRET.encode())
        )
        url = f"{self.fleet.config.base_url}/{PATH}"
        await self.steer("PUT", "callbacks", client_id="sim-client", url=url)

    async def try_door(self, door, **what):
        """Try a door, and let the vendor tell."""
        said = await self.steer("POST", f"doors/{DOORS[door]}/try", **what)
        return said["reason"]

    async def heard(self, seconds=10):
        """Return once what was told is applied."""
        await asyncio.sleep(seconds)
        await self.settled()

    async def hook(self, form, path=PATH):
        """Send a callback of one's own."""
        headers = {"content-type": "application/x-www-form-urlencoded"}
        return await self.on.send(path, urlencode(form).encode(), headers=headers)

    async def kept(self, collection):
        """Return what is kept of a collection, in order."""
        return list((await self.documents(collection)).values())


def play(home, scenario, seed=0, **world):
    """Run a scenario in the hotel."""

    async def main(clock):
        house = HeardHotel(clock, seed)
        async with simulated_fleet(home, clock, seed, outside=house, **world) as on:
            house.on = on
            return await hunted(house, scenario)

    return run_virtually(main, seed)
