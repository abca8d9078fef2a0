"""The setting of the lease contract: two hotels and a gateway."""

from datetime import timedelta

from infra.local.documents import SqliteDocuments
from shared.domain.ids import TenantId
from shared.ports.documents import Ref, Update
from shared.vendor_kit.leases import COLLECTION, DocumentLeases
from tests.contract.embedded import Embedded

ALPHA, BETA = TenantId("tnt_alpha"), TenantId("tnt_beta")
GATEWAY = "gateway:7"
MINUTE = timedelta(minutes=1)
NEWER = {"of_tomorrow": {"a": [1]}}


async def document_leases(embedded):
    """Build the leases on the documents of SQLite."""
    return DocumentLeases(SqliteDocuments(embedded.engine, embedded.clock, (), "main"), embedded.clock)


class Words:
    """Leases, and a short word for taking one."""

    @property
    def leases(self):
        return self.subject

    async def acquire(self, holder, *, tenant=ALPHA, name=GATEWAY, ttl=MINUTE):
        """Take a lease, or None."""
        return await self.leases.acquire(tenant, name, holder, ttl)

    async def kept(self):
        """Return the lease's document."""
        return await self.leases._documents.tenant(ALPHA).get(Ref(COLLECTION, GATEWAY))

    async def write_as_a_newer_release(self):
        """Write a field beside ours into the lease's document."""
        found = await self.kept()
        write = Update(found.ref, {**found.data, **NEWER}, found.version)
        await self.leases._documents.tenant(ALPHA).commit([write])


class Setting(Words, Embedded):
    """The words, on the embedded cloud."""
