"""The embedded cloud's storage for contract suites: a clock that tests move, a file that can be reopened."""

from datetime import UTC, datetime, timedelta

from infra.local import documents, secrets
from infra.local.ambient import SeededEntropy
from infra.local.counters import Counters
from infra.local.faults import NoFaults
from infra.local.storage.database import open_database
from infra.local.storage.engine import Engine

SCHEMA = (*documents.SCHEMA, *secrets.SCHEMA)


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self._now = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)

    def now(self):
        return self._now

    def advance(self, **duration):
        self._now += timedelta(**duration)


class Embedded:
    """One folder of the embedded cloud: `make` builds the implementation under test, after each opening."""

    def __init__(self, folder, make, *, threaded=True, schema=SCHEMA):
        self.folder, self._make, self._threaded, self._schema = folder, make, threaded, schema
        self.clock, self.entropy = ManualClock(), SeededEntropy(7)
        self.subject = None

    async def open(self):
        database = open_database(self.folder / "fleet.db", self._schema, self.entropy.token)
        self.engine = Engine(database, faults=NoFaults(), counters=Counters(), threaded=self._threaded)
        self.engine.start()
        self.subject = await self._make(self)

    async def close(self):
        await self.engine.close()

    async def reopen(self):
        """End, and begin again as after a restart."""
        await self.close()
        await self.open()

    async def __aenter__(self):
        await self.open()
        return self

    async def __aexit__(self, *_):
        await self.close()
