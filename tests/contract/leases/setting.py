"""The setting of the lease contract: two hotels and a gateway."""

from datetime import timedelta

from infra.local.documents import SqliteDocuments
from shared.domain.ids import TenantId
from shared.vendor_kit.leases import DocumentLeases
from tests.contract.embedded import Embedded

ALPHA, BETA = TenantId("tnt_alpha"), TenantId("tnt_beta")
GATEWAY = "gateway:7"
MINUTE = timedelta(minutes=1)


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


class Setting(Words, Embedded):
    """The words, on the embedded cloud."""
