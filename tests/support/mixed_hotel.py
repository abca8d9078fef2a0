"""The sample hotel with locks of several vendors: a room of each, their simulators, and a desk for cards."""

import asyncio
from dataclasses import asdict
from random import Random

import orjson

from infra.local.sample.account import simulator_address
from infra.local.simulation.loop import run_virtually
from infra.simulators.generic_wiegand.desk import SimulatedDesk
from infra.simulators.generic_wiegand.doors import OfflineDoor
from infra.simulators.kit.app import Simulator
from infra.simulators.kit.world import SimWorld
from infra.simulators.registry import simulated_vendor
from shared.domain.capabilities import ABILITIES
from shared.vendor_kit.desk_jobs import DeskJobs, JobError, JobState
from shared.vendor_kit.http import Call
from tests.contract.lock.simulated_setting import Straight
from tests.support.sample_hotel import CONTROL, DOORS, KABUL, SILK, SampleHotel, hunted
from tests.support.simulated import simulated_fleet
from tests.support.vendors import ASSA_ABLOY, GENERIC_WIEGAND, SALTO

PORTS = {ASSA_ABLOY: 8801, SALTO: 8802}
FITTED = {
    "102": (ASSA_ABLOY, "mobile_key"),
    "203": (SALTO, "mobile_key"),
    "204": (GENERIC_WIEGAND, "card_encoding"),
}
"""Which room has whose lock, and what it can do; what is not said is the sample's own vendor's."""


class MixedHotel(SampleHotel):
    """A simulated fleet, with doors of four vendors."""

    def __init__(self, clock, seed):
        super().__init__(clock, seed)
        self.others = {vendor: self._simulator(vendor, clock, seed) for vendor in PORTS}
        self.desk = SimulatedDesk({DOORS["204"]: OfflineDoor(DOORS["204"])})

    @staticmethod
    def _simulator(vendor, clock, seed):
        world = SimWorld(now=clock.now, chance=Random(seed), sleep=asyncio.sleep, control_token=CONTROL)
        return Straight(Simulator(simulated_vendor(vendor), world))

    async def send(self, call):
        """Be the world outside the fleet: each vendor at its own port."""
        for vendor, port in PORTS.items():
            if call.url.startswith(simulator_address(port)):
                return await self.others[vendor].send(call)
        return await super().send(call)

    async def steer_at(self, vendor, method, path, **body):
        """Use the control plane of one of the simulators."""
        headers = {"authorization": f"Bearer {CONTROL}", "content-type": "application/json"}
        url = f"{simulator_address(PORTS[vendor])}/_sim/{path}"
        answer = await self.others[vendor].send(Call(method, url, headers, orjson.dumps(body)))
        assert answer.status < 300, answer.body
        return orjson.loads(answer.body)

    async def fit(self):
        """Hang each vendor's lock at its room, and forget the front door, which nobody shares."""
        await self.unmap("front")
        for door, (vendor, ability) in FITTED.items():
            able = {name: name in {ability, "remote_issue", "remote_revoke"} for name in ABILITIES}
            await self._change_device(
                door, lambda device, v=vendor, a=able: {**device, "vendor": v, "capabilities": a}
            )

    async def open_all_accounts(self):
        """Keep the hotel's account at each vendor."""
        for vendor, port in PORTS.items():
            account = simulated_vendor(vendor).account(simulator_address(port))
            await self.open_account(vendor, orjson.dumps(account))
        await self.open_account(GENERIC_WIEGAND, b"{}")

    @property
    def jobs(self):
        """What the desk is to do."""
        documents = self.fleet.documents.tenant(SILK)
        return DeskJobs(documents, self.fleet.platform.clock, GENERIC_WIEGAND, KABUL)

    async def at_the_desk(self, seconds, every=5):
        """Be at the desk for a while: write each card that is asked for, and tell of it."""
        for _ in range(0, seconds, every):
            for job in await self.jobs.pulled():
                await self._work(job)
            await asyncio.sleep(every)

    async def _work(self, job):
        await self.jobs.advance(job.id, JobState.RECEIVED)
        await self.jobs.advance(job.id, JobState.PROCESSING)
        fault = self.desk.write(asdict(job))
        state = JobState.PROCESSED if fault is None else JobState.ERROR
        await self.jobs.advance(job.id, state, fault and JobError(fault))
        heard = {"tenant": SILK, "vendor": GENERIC_WIEGAND, "job": job.id}
        status, said = await self.on.send("hear-of-job", heard, caller="operator")
        assert status == 200, said


def vendor_of(key):
    """Return whose locks a key of the ledger is to open."""
    plan = key["core"]["plan"]
    return plan["choices"][plan.get("position", 0)]["vendor"]


def play_mixed(home, scenario, seed=0):
    """Run a scenario in the hotel of four vendors."""

    async def main(clock):
        house = MixedHotel(clock, seed)
        async with simulated_fleet(home, clock, seed, outside=house) as on:
            house.on = on
            await house.fit()
            return await hunted(house, scenario)

    return run_virtually(main, seed)
