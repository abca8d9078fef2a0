"""Leases in memory, and scenarios in virtual time with the turns of as many processes as they want."""

import asyncio

from infra.local.ambient import SeededEntropy
from infra.local.simulation.loop import run_virtually
from shared.domain.ids import TenantId
from shared.ports.leases import Lease, LeaseLost
from shared.vendor_kit.turns import Turns

TENANT = TenantId("tnt_alpha")


class MemoryLeases:
    """Leases in memory, and what was asked of them."""

    def __init__(self, clock):
        self._clock, self.held, self.asked, self.log = clock, {}, 0, []

    async def acquire(self, tenant, name, holder, ttl):
        self.asked += 1
        before = self.held.get(name)
        if before is not None and before.expires_at > self._clock.now():
            return None
        fence = before.fence + 1 if before else 1
        self.log.append(f"+{name}")
        self.held[name] = Lease(tenant, name, holder, fence, self._clock.now() + ttl)
        return self.held[name]

    async def renew(self, lease, ttl):
        if self.held.get(lease.name) != lease or lease.expires_at <= self._clock.now():
            raise LeaseLost(lease.name)
        self.held[lease.name] = Lease(TENANT, lease.name, lease.holder, lease.fence, self._clock.now() + ttl)
        return self.held[lease.name]

    async def release(self, lease):
        if self.held.get(lease.name) == lease:
            self.log.append(f"-{lease.name}")
            self.held[lease.name] = Lease(TENANT, lease.name, "", lease.fence, self._clock.now())


def virtually(scenario):
    """Run a scenario in virtual time, given leases and a maker of turns."""

    async def main(clock):
        leases = MemoryLeases(clock)
        return await scenario(leases, lambda: Turns(leases, TENANT, clock, SeededEntropy(7)))

    return run_virtually(main, seed=3)


async def used(turns, name, log, seconds=1.0):
    """Use a turn for a while, and log it."""
    async with turns.take(name, "somebody"):
        log.append("in")
        await asyncio.sleep(seconds)
        log.append("out")
