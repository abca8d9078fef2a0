"""Leases on any document store: create-if-absent and update-if-version are all it takes."""

import contextlib
from dataclasses import replace
from datetime import datetime, timedelta

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.ports.ambient import Clock
from shared.ports.documents import AlreadyExists, Create, Document, DocumentStore, Ref, StaleVersion, Update
from shared.ports.leases import Lease, LeaseLost

COLLECTION = "leases"
SCHEMA_VERSION = 1
NOBODY = ""


class DocumentLeases:
    """One document a lease. It is never deleted and never expires, so that its fence only ever grows."""

    def __init__(self, documents: DocumentStore, clock: Clock) -> None:
        self._documents, self._clock = documents, clock

    async def acquire(self, tenant: TenantId, name: str, holder: str, ttl: timedelta) -> Lease | None:
        """Take the lease if it is free or expired; None if somebody holds it, even under the same name.

        Two deliveries of one message call themselves the same, and still only one may go on.
        """
        if holder == NOBODY:
            raise InvalidInput("holder", "empty", "Name who takes the lease")
        found = await self._documents.tenant(tenant).get(Ref(COLLECTION, name))
        if found is not None and self._held(found):
            return None
        fence = 1 if found is None else found.data["fence"] + 1
        version = None if found is None else found.version
        return await self._written(Lease(tenant, name, holder, fence, self._until(ttl)), version)

    async def renew(self, lease: Lease, ttl: timedelta) -> Lease:
        """Hold on for longer, or raise LeaseLost."""
        longer = replace(lease, expires_at=self._until(ttl))
        found = await self._mine(lease)
        held = found is not None and self._held(found)
        renewed = await self._written(longer, found.version) if found is not None and held else None
        if renewed is None:
            raise LeaseLost(f"lease {lease.name} is no longer {lease.holder}'s: stop, and acquire it anew")
        return renewed

    async def release(self, lease: Lease) -> None:
        """Give the lease back; one that is lost already is left alone."""
        free = replace(lease, holder=NOBODY, expires_at=self._clock.now())
        if lease.proof and await self._written(free, lease.proof):
            return
        # Renewed since, or lost: only what is there can tell.
        found = await self._mine(lease)
        if found is not None:
            await self._written(free, found.version)

    async def _mine(self, lease: Lease) -> Document | None:
        found = await self._documents.tenant(lease.tenant).get(Ref(COLLECTION, lease.name))
        mine = found is not None and (found.data["fence"], found.data["holder"]) == (
            lease.fence,
            lease.holder,
        )
        return found if mine else None

    async def _written(self, lease: Lease, over: str | None) -> Lease | None:
        """Write the lease over the version that is thought to be there; None if it is another."""
        ref, data = Ref(COLLECTION, lease.name), _data(lease)
        write = Create(ref, data) if over is None else Update(ref, data, over)
        with contextlib.suppress(AlreadyExists, StaleVersion):
            (version,) = await self._documents.tenant(lease.tenant).commit([write])
            return replace(lease, proof=version)
        return None

    def _held(self, document: Document) -> bool:
        if document.data["holder"] == NOBODY:
            return False  # whatever the clock said when it was given back
        return instant_from_text(document.data["expires_at"], "expires_at") > self._clock.now()

    def _until(self, ttl: timedelta) -> datetime:
        if ttl <= timedelta(0):
            raise InvalidInput("ttl", "not positive", "Give how long the lease shall be held")
        return self._clock.now() + ttl


def _data(lease: Lease) -> dict[str, str | int]:
    return {
        "schema_version": SCHEMA_VERSION,
        "holder": lease.holder,
        "fence": lease.fence,
        "expires_at": instant_to_text(lease.expires_at),
    }
