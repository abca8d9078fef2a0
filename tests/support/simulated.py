"""A whole fleet in virtual time, for tests that want one."""

import io
from contextlib import asynccontextmanager

import orjson

from infra.local.ambient import SeededEntropy
from infra.local.fleet import open_fleet
from infra.local.simulation.loop import run_virtually
from infra.local.world import FleetConfig, World
from shared.kernel.log import Log
from shared.vendor_kit.http import Call


class Nowhere:
    """The world outside a simulation: there is none."""

    async def send(self, call):
        raise AssertionError(f"a simulated fleet called {call.url}")

    async def close(self):
        """Nothing is open."""


class Simulated:
    """A fleet, and a caller who can be anybody."""

    def __init__(self, fleet, log):
        self.fleet, self.log = fleet, log

    @asynccontextmanager
    async def unscheduled(self):
        """Let hours go by for free: the clock starts nothing till they are over."""
        await self.fleet.schedules.stop()
        yield
        self.fleet.schedules.start()

    async def send(self, path, body=b"", *, caller=None, method="POST", headers=None, audience=None):
        """Call a path of the fleet as a service identity, or as nobody."""
        config = self.fleet.config
        url = f"{config.base_url}/{path}"
        of_control = path.startswith("_cloud")
        headers = dict(headers or {})
        if caller is not None:
            for_whom = audience or (config.control_url if of_control else url)
            headers["authorization"] = f"Bearer {self.fleet.identity.token(caller, for_whom)}"
        raw = body if isinstance(body, bytes) else orjson.dumps(body)
        answer = await self.fleet.means.transport.send(Call(method, url, headers, raw, timeout=60))
        return answer.status, orjson.loads(answer.body) if answer.body[:1] in (b"{", b"[") else answer.body


@asynccontextmanager
async def simulated_fleet(home, clock, seed=0, **world):
    """A sample hotel's fleet on one thread."""
    lines = io.StringIO()
    options = {"entropy": SeededEntropy(seed), "outside": Nowhere(), "log": Log("keyfleet", lines), **world}
    async with open_fleet(
        FleetConfig(home, sample=True), World(clock=clock, threaded=False, **options)
    ) as fleet:
        yield Simulated(fleet, lines)


def play(home, scenario, seed=0, **world):
    """Run a scenario with a simulated fleet."""

    async def main(clock):
        async with simulated_fleet(home, clock, seed, **world) as simulated:
            return await scenario(simulated)

    return run_virtually(main, seed)
