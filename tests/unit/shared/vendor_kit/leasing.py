"""Leases in memory, and scenarios in virtual time with the turns of as many processes as they want."""

import asyncio
from itertools import count

from infra.local.ambient import SeededEntropy
from infra.local.simulation.loop import run_virtually
from shared.domain.ids import TenantId
from shared.ports.documents import AlreadyExists, Create, Document, Ref, StaleVersion, Update
from shared.vendor_kit.leases import COLLECTION, DocumentLeases
from shared.vendor_kit.turns import Turns

TENANT = TenantId("tnt_alpha")


class MemoryDocuments:
    """One tenant's documents in memory."""

    def __init__(self):
        self.kept, self._version = {}, 0

    def tenant(self, _):
        return self

    async def get(self, ref):
        return self.kept.get(ref)

    async def commit(self, writes):
        (write,) = writes
        found = self.kept.get(write.ref)
        if isinstance(write, Create) and found is not None:
            raise AlreadyExists(write.ref)
        if isinstance(write, Update) and (found is None or found.version != write.version):
            raise StaleVersion(write.ref)
        self._version += 1
        self.kept[write.ref] = Document(write.ref, write.data, str(self._version))
        return (str(self._version),)


class MemoryLeases(DocumentLeases):
    """Leases in memory, and what was asked of them."""

    def __init__(self, clock):
        self._store = MemoryDocuments()
        super().__init__(self._store, clock)
        self.asked, self.log = 0, []

    def lose(self):
        """Forget who holds what."""
        self._store.kept.clear()

    def found(self, name):
        """Return what is kept of a lease."""
        return self._store.kept[Ref(COLLECTION, name)].data

    async def acquire(self, tenant, name, holder, ttl, waiter=None):
        self.asked += 1
        lease = await super().acquire(tenant, name, holder, ttl, waiter)
        if lease is not None:
            self.log.append(f"+{name}")
        return lease

    async def release(self, lease, waiter=None):
        if await self._mine(lease):
            self.log.append(f"-{lease.name}")
        await super().release(lease, waiter)


def virtually(scenario):
    """Run a scenario in virtual time, given leases and a maker of turns."""

    async def main(clock):
        leases, seeds = MemoryLeases(clock), count(7)
        return await scenario(leases, lambda: Turns(leases, TENANT, clock, SeededEntropy(next(seeds))))

    return run_virtually(main, seed=3)


async def used(turns, name, log, seconds=1.0):
    """Use a turn for a while, and log it."""
    async with turns.take(name, "somebody"):
        log.append("in")
        await asyncio.sleep(seconds)
        log.append("out")
