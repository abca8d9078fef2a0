"""Many instances of a fleet, each with its own clock, on one document store that takes its time."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from infra.local.ambient import SeededEntropy
from infra.local.documents import SqliteDocuments
from infra.local.simulation.loop import run_virtually
from shared.kernel.log import Log
from shared.runtime.indexes import INDEXES
from tests.contract.embedded import Embedded

LOST = "the store is away"


class StoreAway(Exception):
    """Nothing could be asked."""


@dataclass
class InstanceClock:
    """The clock of one instance."""

    true: object
    ahead: timedelta

    def now(self):
        return self.true.now() + self.ahead


class FarStore:
    """The store as one instance sees it: some way off, and now and then not there."""

    def __init__(self, store, chance, counts):
        self._store, self._chance, self.counts, self.away = store, chance, counts, False

    def tenant(self, tenant):
        return _FarDocuments(self, self._store.tenant(tenant))

    async def sweep(self, *args, **more):
        return await self._store.sweep(*args, **more)

    async def way(self, what):
        await asyncio.sleep(self._chance.uniform(0.002, 0.04))
        self.counts[what] = self.counts.get(what, 0) + 1
        if self.away:
            raise StoreAway(LOST)


class _FarDocuments:
    def __init__(self, far, documents):
        self._far, self._documents, self.tenant = far, documents, documents.tenant

    async def get(self, ref):
        await self._far.way("reads")
        found = await self._documents.get(ref)
        await self._far.way("answers")
        return found

    async def query(self, *args, **more):
        await self._far.way("reads")
        return await self._documents.query(*args, **more)

    async def commit(self, writes):
        await self._far.way("commits")
        versions = await self._documents.commit(writes)
        await self._far.way("answers")
        self._far.counts["done"] = self._far.counts.get("done", 0) + len(writes)
        return versions

    note = commit


class Instances:
    """A store on SQLite, and as many instances as are wanted, whose clocks differ by up to so much."""

    def __init__(self, clock, store, seed, apart):
        self.clock, self.store, self.counts = clock, store, {}
        self.chance, self._apart, self._seed = Random(seed), apart, seed
        self.log, self.made = Log("test", _Nowhere()), 0

    def hire(self):
        """Return a new instance's store, clock and entropy."""
        self.made += 1
        ahead = self.chance.uniform(-1, 1) * self._apart
        far = FarStore(self.store, Random(self._seed * 1000 + self.made), self.counts)
        return far, InstanceClock(self.clock, ahead), SeededEntropy(self._seed * 1000 + self.made)


class _Nowhere:
    def write(self, line):
        """Keep nothing."""

    def flush(self):
        """Keep nothing."""


def among_instances(folder, scenario, seed=1, apart=timedelta(0)):
    """Run a scenario in virtual time, given instances of a fleet."""

    async def main(clock):
        async def store(embedded):
            return SqliteDocuments(embedded.engine, clock, INDEXES, "main")

        async with Embedded(folder, store, threaded=False) as embedded:
            await embedded.subject.prepare()
            return await scenario(Instances(clock, embedded.subject, seed, apart))

    return run_virtually(main, seed)
