"""Leases that are wrong in one way each: every one must fail the guarantee it breaks."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from shared.ports.documents import Delete, Ref, Update
from shared.ports.leases import LeaseLost
from shared.vendor_kit.leases import COLLECTION, DocumentLeases
from tests.contract.leases.setting import ALPHA


class Forgets(DocumentLeases):
    """Deletes a lease that is given back, and its fence with it."""

    async def release(self, lease):
        documents = self._documents.tenant(lease.tenant)
        found = await documents.get(Ref(COLLECTION, lease.name))
        await documents.commit([Delete(found.ref, found.version)])


class NeverExpires(DocumentLeases):
    def _held(self, document):
        return document.data["holder"] != ""


class NeverHolds(DocumentLeases):
    def _held(self, document):
        return False


class KnowsItsHolder(DocumentLeases):
    """Gives the lease again to whoever has the holder's name."""

    async def acquire(self, tenant, name, holder, ttl):
        documents = self._documents.tenant(tenant)
        found = await documents.get(Ref(COLLECTION, name))
        if found is not None and found.data["holder"] == holder:
            over = {**found.data, "expires_at": "2000-01-01T00:00:00Z"}
            await documents.commit([Update(found.ref, over, found.version)])
        return await super().acquire(tenant, name, holder, ttl)


class LooksThenTakes(DocumentLeases):
    """Writes over whatever is there by now."""

    async def _written(self, lease, over):
        await asyncio.sleep(0.01)
        while (written := await super()._written(lease, over)) is None:
            over = (await self._documents.tenant(lease.tenant).get(Ref(COLLECTION, lease.name))).version
        return written


class ReleasesAnybodys(DocumentLeases):
    async def _mine(self, lease):
        return await self._documents.tenant(lease.tenant).get(Ref(COLLECTION, lease.name))


class ReleasesOverAnybodys(DocumentLeases):
    """Takes a proof that no longer holds for one that was mislaid."""

    async def release(self, lease):
        found = await self._documents.tenant(lease.tenant).get(Ref(COLLECTION, lease.name))
        await super().release(replace(lease, proof=found.version))


class TrustsItsProofAlone(DocumentLeases):
    """Gives back only what nothing has happened to since."""

    async def _mine(self, lease):
        found = await super()._mine(lease)
        return found if found is not None and found.version == lease.proof else None


class RenewsByName(DocumentLeases):
    """Takes its own name for proof that the lease is still its own."""

    async def _mine(self, lease):
        found = await self._documents.tenant(lease.tenant).get(Ref(COLLECTION, lease.name))
        return found if found.data["holder"] == lease.holder else None


class RenewsTheExpired(DocumentLeases):
    async def renew(self, lease, ttl):
        try:
            return await super().renew(lease, ttl)
        except LeaseLost:
            return replace(lease, expires_at=self._clock.now() + ttl)


class RenewsInWordsOnly(DocumentLeases):
    async def renew(self, lease, ttl):
        return replace(lease, expires_at=self._clock.now() + ttl)


class KnowsItsOwnFieldsOnly(DocumentLeases):
    """Writes what this release knows of a lease, and nothing else."""

    async def _written(self, lease, over):
        return await super()._written(replace(lease, strays={}), over)


class OneHotel(DocumentLeases):
    async def acquire(self, tenant, name, holder, ttl):
        return await super().acquire(ALPHA, name, holder, ttl)


class TakesAnyTime(DocumentLeases):
    async def acquire(self, tenant, name, holder, ttl):
        return await super().acquire(tenant, name, holder, max(ttl, timedelta(seconds=1)))


BROKEN = {
    Forgets: "test_the_fence_grows_with_every_holder_for_ever",
    NeverExpires: "test_an_expired_lease_is_free",
    NeverHolds: "test_a_held_lease_is_refused",
    KnowsItsHolder: "test_a_held_lease_is_refused_to_its_holders_namesake",
    LooksThenTakes: "test_of_many_at_once_one_takes_it",
    ReleasesAnybodys: "test_a_late_release_leaves_the_next_holder_alone",
    ReleasesOverAnybodys: "test_a_late_release_leaves_the_next_holder_alone",
    TrustsItsProofAlone: "test_a_lease_is_given_back_by_whoever_took_it_though_it_was_renewed_since",
    RenewsByName: "test_a_lease_another_has_is_not_renewed",
    RenewsTheExpired: "test_an_expired_lease_is_not_renewed",
    RenewsInWordsOnly: "test_a_renewed_lease_is_held_for_longer",
    KnowsItsOwnFieldsOnly: "test_what_a_newer_release_wrote_beside_a_lease_stays",
    OneHotel: "test_tenants_and_names_have_leases_of_their_own",
    TakesAnyTime: "test_a_lease_that_would_never_be_held_is_refused",
}
"""The guarantee that each must fail."""
ARGUMENTS = {TakesAnyTime: {"ttl": timedelta(0)}}
