"""The setting of the documents contract: two hotels, and the indexes the suite reads."""

from types import SimpleNamespace

from infra.local.documents import SqliteDocuments
from shared.domain.ids import TenantId
from shared.ports.documents import Create, Delete, Index, Ref, Update
from tests.contract.embedded import Embedded

ALPHA, BETA = TenantId("tnt_alpha"), TenantId("tnt_beta")
ROOM = Ref("rooms", "204")
DUE = Index("sagas", ("state",), "due_at", swept=True)
NUMBERED = Index("sagas", ("owner.kind", "open"), "number")
WHOLE = Index("sagas", (), "due_at")
SPREAD = Index("sagas", (), "spread_at", swept=True, shards=4)
INDEXES = (DUE, NUMBERED, WHOLE, SPREAD)


async def sqlite_documents(embedded):
    """Build the store on SQLite."""
    stores = {
        name: SqliteDocuments(embedded.engine, embedded.clock, INDEXES, name) for name in ("main", "sealed")
    }
    for store in stores.values():
        await store.prepare()
    return SimpleNamespace(**stores)


class Words:
    """What a test needs: the stores, one tenant's handle, and short words for reads and writes."""

    @property
    def store(self):
        return self.subject.main

    @property
    def sealed(self):
        return self.subject.sealed

    @property
    def alpha(self):
        return self.store.tenant(ALPHA)

    @property
    def beta(self):
        return self.store.tenant(BETA)

    async def create(self, ref, data, *, tenant=None, expires_at=None):
        """Create one document and return its version."""
        (version,) = await (tenant or self.alpha).commit([Create(ref, data, expires_at)])
        return version

    async def update(self, ref, data, version, *, expires_at=None):
        """Update one document and return its version."""
        (fresh,) = await self.alpha.commit([Update(ref, data, version, expires_at)])
        return fresh

    async def delete(self, ref, version):
        """Delete one document."""
        return await self.alpha.commit([Delete(ref, version)])

    async def data(self, ref, *, tenant=None):
        """Return what a document holds, or None."""
        found = await (tenant or self.alpha).get(ref)
        return None if found is None else found.data

    async def sagas(self, documents, *, tenant=None):
        """Create sagas by id."""
        for name, data in documents.items():
            await self.create(Ref("sagas", name), data, tenant=tenant)


class Setting(Words, Embedded):
    """The words, on the embedded cloud."""
