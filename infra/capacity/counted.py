"""The embedded cloud with Google's distances: a read, a commit, a vendor's call takes time, and is noted."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from starlette.types import Receive, Scope, Send

from infra.capacity.tally import Tally
from infra.local.documents.store import SqliteDocuments
from infra.local.documents.tenant import SqliteTenantDocuments
from infra.local.fleet import Fleet
from infra.local.world import FleetConfig, World
from infra.manifest.load import Manifest
from shared.domain.ids import TenantId
from shared.ports.documents import Document, Index, Json, Ref, Write
from shared.runtime.indexes import INDEXES

READ_SECONDS: Final = (0.004, 0.015)
COMMIT_SECONDS: Final = (0.015, 0.040)


class CountedFleet(Fleet):
    """A fleet whose main database is as far away as Firestore is."""

    def __init__(self, config: FleetConfig, world: World, manifest: Manifest, tally: Tally) -> None:
        self.tally = tally
        super().__init__(config, world, manifest)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, and note how long that took."""
        began = self.seconds()
        await super().__call__(scope, receive, send)
        self.tally.called(scope["path"][1:].partition("/")[0], began, self.seconds())

    def seconds(self) -> float:
        """Return the virtual time, in seconds since the first midnight."""
        return self.world.clock.now().timestamp() - self.tally.midnight

    def _build_stores(self) -> None:
        super()._build_stores()
        far = _FarDocuments(self.means.engine, self.means.clock, INDEXES, "main")
        far.of = self
        self.documents = far


class _FarDocuments(SqliteDocuments):
    of: CountedFleet

    def tenant(self, tenant: TenantId) -> SqliteTenantDocuments:
        """Return the handle on one tenant's documents."""
        handle = _FarTenant(self._shelf, TenantId(tenant))
        handle.far = self
        return handle

    async def way(self, seconds: tuple[float, float]) -> None:
        """Let a round trip pass."""
        await asyncio.sleep(self.of.world.entropy.uniform(*seconds))


class _FarTenant(SqliteTenantDocuments):
    far: _FarDocuments

    async def get(self, ref: Ref) -> Document | None:
        """Return the living document, or None, after a read's time."""
        await self.far.way(READ_SECONDS)
        self._read(1)
        return await super().get(ref)

    async def commit(self, writes: Sequence[Write]) -> tuple[str, ...]:
        """Apply all writes or none, after a commit's time."""
        await self.far.way(COMMIT_SECONDS)
        versions = await super().commit(writes)
        self._noted(writes)
        return versions

    async def note(self, writes: Sequence[Write]) -> tuple[str, ...]:
        """Commit what nobody is in a hurry for."""
        versions = await super().note(writes)
        self._noted(writes)
        return versions

    async def query(
        self,
        index: Index,
        equals: Mapping[str, Json],
        *,
        until: Json = None,
        after: Document | None = None,
        limit: int = 100,
    ) -> Sequence[Document]:
        """Return what an index says, after a read's time."""
        await self.far.way(READ_SECONDS)
        found = await super().query(index, equals, until=until, after=after, limit=limit)
        self._read(max(1, len(found)))
        return found

    def _read(self, many: int) -> None:
        fleet = self.far.of
        fleet.tally.count("reads", fleet.seconds(), many)

    def _noted(self, writes: Sequence[Write]) -> None:
        fleet = self.far.of
        fleet.tally.written(str(self.tenant), writes, fleet.seconds())
