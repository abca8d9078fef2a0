"""Document stores that are wrong in one way each: every one must fail the guarantee it breaks."""

import asyncio
import contextlib
from dataclasses import replace
from types import SimpleNamespace

import orjson

from shared.domain.errors import InvalidInput
from shared.ports.documents import (
    AlreadyExists,
    Create,
    StaleVersion,
    UndeclaredIndex,
    Update,
    shard_of,
)
from tests.contract.documents.setting import ALPHA, sqlite_documents


class Handle:
    """A tenant's handle that does everything right; its heirs do one thing wrong."""

    def __init__(self, inner, store):
        self._inner, self._store = inner, store

    @property
    def tenant(self):
        return self._inner.tenant

    async def get(self, ref):
        return await self._inner.get(ref)

    async def get_all(self, refs):
        return await self._inner.get_all(refs)

    async def commit(self, writes):
        return await self._inner.commit(writes)

    async def query(self, index, equals, **bounds):
        return await self._inner.query(index, equals, **bounds)


class Store:
    """A store of such handles."""

    handle = Handle

    def __init__(self, inner):
        self.inner, self.notes = inner, {}

    def tenant(self, tenant):
        return self.handle(self.inner.tenant(tenant), self)

    async def sweep(self, index, equals, **bounds):
        return await self.inner.sweep(index, equals, **bounds)


class SharesTenants(Store):
    def tenant(self, tenant):
        return super().tenant(ALPHA)


class CreateOverwrites(Handle):
    async def commit(self, writes):
        try:
            return await super().commit(writes)
        except AlreadyExists as error:
            found = await self.get(error.ref)
            return await super().commit([Update(error.ref, writes[0].data, found.version)])


class IgnoresVersions(Handle):
    async def commit(self, writes):
        return await super().commit([await self._at_present(write) for write in writes])

    async def _at_present(self, write):
        found = None if isinstance(write, Create) else await self.get(write.ref)
        return write if found is None else replace(write, version=found.version)


class ChecksThenWrites(IgnoresVersions):
    """Compares the version itself, and writes a moment later."""

    async def commit(self, writes):
        for write in writes:
            found = await self.get(write.ref)
            if isinstance(write, Update) and (found is None or found.version != write.version):
                raise StaleVersion(write.ref)
        await asyncio.sleep(0.01)
        while True:
            with contextlib.suppress(StaleVersion):
                return await super().commit(writes)


class CommitsOneByOne(Handle):
    async def commit(self, writes):
        versions = ()
        for write in writes:
            versions += await super().commit([write])
        return versions


class VersionsByContent(Handle):
    """Gives a version that is made of the content, as an entity tag is."""

    async def get(self, ref):
        found = await super().get(ref)
        return found and replace(found, version=self._tag(found.data, found.version))

    async def commit(self, writes):
        versions = await super().commit([self._real(write) for write in writes])
        return tuple(
            self._tag(getattr(write, "data", None), version)
            for write, version in zip(writes, versions, strict=True)
        )

    def _real(self, write):
        if isinstance(write, Create):
            return write
        return replace(write, version=self._store.notes.get(write.version, write.version))

    def _tag(self, data, version):
        tag = "tag " + orjson.dumps(data).decode()
        self._store.notes[tag] = version
        return tag


class ForgetsExpiry(Handle):
    async def commit(self, writes):
        kept = [replace(w, expires_at=None) if hasattr(w, "expires_at") else w for w in writes]
        return await super().commit(kept)


class HoldsTheDead(Handle):
    """Refuses to create what was created before, expired or not."""

    async def commit(self, writes):
        for write in writes:
            if isinstance(write, Create) and write.ref in self._store.notes:
                raise AlreadyExists(write.ref)
            self._store.notes[write.ref] = True
        return await super().commit(writes)


class SharesWhatItRead(Handle):
    async def get(self, ref):
        found = await super().get(ref)
        return self._store.notes.setdefault((ref, found and found.version), found)


class LeavesOutTheMissing(Handle):
    async def get_all(self, refs):
        return [found for found in await super().get_all(refs) if found is not None]


class EncodesLate(Handle):
    async def commit(self, writes):
        await asyncio.sleep(0.01)
        return await super().commit(writes)


class LastFirst(Handle):
    async def query(self, index, equals, **bounds):
        return list(reversed(await super().query(index, equals, **bounds)))


class StopsBeforeUntil(Handle):
    async def query(self, index, equals, *, until=None, **bounds):
        found = await super().query(index, equals, until=until, **bounds)
        return [document for document in found if until is None or document.data[index.order_by] != until]


class FindsEverything(Handle):
    async def query(self, index, equals, *, limit=100, **bounds):
        return await super().query(index, equals, limit=1000, **bounds)


class BeginsAnew(Handle):
    async def query(self, index, equals, *, after=None, **bounds):
        return await super().query(index, equals, **bounds)


class SkipsTies(Handle):
    async def query(self, index, equals, *, after=None, **bounds):
        found = await super().query(index, equals, after=after, **bounds)
        return [each for each in found if after is None or each.data["due_at"] != after.data["due_at"]]


class TakesOneForTrue(Handle):
    async def query(self, index, equals, **bounds):
        loose = {field: 1 if value is True else value for field, value in equals.items()}
        return await super().query(index, loose, **bounds)


class QuietAboutIndexes(Handle):
    async def query(self, index, equals, **bounds):
        try:
            return await super().query(index, equals, **bounds)
        except UndeclaredIndex:
            return []


class ReadsAnyQuery(Handle):
    async def query(self, index, equals, **bounds):
        try:
            return await super().query(index, equals, **bounds)
        except InvalidInput:
            return []


class SweepShowsDocuments(Store):
    async def sweep(self, index, equals, **bounds):
        pairs = await super().sweep(index, equals, **bounds)
        return [(tenant, id_, "and what it holds") for tenant, id_ in pairs]


class SweepsOneTenant(Store):
    async def sweep(self, index, equals, **bounds):
        return [pair for pair in await super().sweep(index, equals, **bounds) if pair[0] == ALPHA]


class SweepsFromTheFirst(Store):
    async def sweep(self, index, equals, *, since=None, **bounds):
        return await super().sweep(index, equals, **bounds)


class WritesNullForNonsense(Handle):
    async def commit(self, writes):
        try:
            return await super().commit(writes)
        except InvalidInput:
            return await super().commit([Create(write.ref, {"guests": None}) for write in writes])


class WritesWhatFits(Handle):
    async def commit(self, writes):
        return await super().commit(writes[:500])


class RepeatsTheValue(Handle):
    async def commit(self, writes):
        try:
            return await super().commit(writes)
        except InvalidInput as error:
            raise InvalidInput(error.field, repr(writes[0].data), error.remedy) from None


def with_handle(handle):
    """A way to build the stores, both with that handle."""
    return with_store(type("Broken", (Store,), {"handle": handle}))


class SweepsOneShard(Store):
    """Looks at the first shard, and takes it for all."""

    async def sweep(self, index, equals, **bounds):
        found = await super().sweep(index, equals, **bounds)
        return [each for each in found if shard_of(each[1], index.shards) == 0]


class SweepsShardByShard(Store):
    """Takes the shards one after the other, whoever waits longest."""

    async def sweep(self, index, equals, **bounds):
        found = await super().sweep(index, equals, **bounds)
        return sorted(found, key=lambda each: shard_of(each[1], index.shards))


def with_store(store):
    """A way to build the stores, both of that class."""

    async def make(embedded):
        intact = await sqlite_documents(embedded)
        return SimpleNamespace(main=store(intact.main), sealed=store(intact.sealed))

    return make


async def one_database(embedded):
    """Takes the main database for the sealed one."""
    intact = await sqlite_documents(embedded)
    return SimpleNamespace(main=intact.main, sealed=intact.main)


async def forgetful(embedded):
    """Begins with nothing whenever it is opened."""
    await embedded.engine.write(lambda connection: connection.execute("DELETE FROM docs_main").rowcount)
    return await sqlite_documents(embedded)


BROKEN = {
    "shares tenants": (with_store(SharesTenants), "test_tenants_share_nothing"),
    "queries other tenants": (with_store(SharesTenants), "test_a_query_stays_within_its_tenant"),
    "one database": (one_database, "test_the_sealed_database_is_another_one"),
    "forgets on restart": (forgetful, "test_an_acknowledged_write_survives_a_restart"),
    "create overwrites": (
        with_handle(CreateOverwrites),
        "test_a_create_refuses_a_living_document_and_leaves_it",
    ),
    "ignores versions": (with_handle(IgnoresVersions), "test_an_update_needs_the_version_that_was_read"),
    "deletes any version": (with_handle(IgnoresVersions), "test_a_delete_needs_the_version_that_was_read"),
    "checks then writes": (with_handle(ChecksThenWrites), "test_of_many_updates_of_one_version_one_wins"),
    "commits one by one": (
        with_handle(CommitsOneByOne),
        "test_a_commit_is_applied_whole_or_not_at_all",
        {"bad": 1},
    ),
    "versions by content": (with_handle(VersionsByContent), "test_a_version_never_comes_back"),
    "forgets expiry": (with_handle(ForgetsExpiry), "test_an_expired_document_is_not_read"),
    "finds the expired": (with_handle(ForgetsExpiry), "test_an_expired_document_is_not_found_by_a_query"),
    "sweeps the expired": (with_handle(ForgetsExpiry), "test_an_expired_document_is_not_found_by_a_sweep"),
    "holds the dead": (with_handle(HoldsTheDead), "test_a_create_replaces_an_expired_document"),
    "shares what it read": (
        with_handle(SharesWhatItRead),
        "test_what_was_read_can_be_changed_without_changing_the_store",
    ),
    "leaves out the missing": (
        with_handle(LeavesOutTheMissing),
        "test_some_are_read_at_once_in_the_order_asked",
    ),
    "encodes late": (with_handle(EncodesLate), "test_what_was_given_can_be_changed_while_it_is_written"),
    "last first": (with_handle(LastFirst), "test_a_query_finds_equals_in_order_and_ties_by_id"),
    "stops before until": (with_handle(StopsBeforeUntil), "test_until_includes_its_own_value"),
    "finds everything": (with_handle(FindsEverything), "test_a_limit_keeps_the_first"),
    "begins anew": (with_handle(BeginsAnew), "test_pages_show_every_document_once", {"size": 2}),
    "skips ties": (with_handle(SkipsTies), "test_pages_show_every_document_once", {"size": 2}),
    "takes one for true": (
        with_handle(TakesOneForTrue),
        "test_equality_tells_types_apart",
        {"value": True, "only": "t"},
    ),
    "quiet about indexes": (
        with_handle(QuietAboutIndexes),
        "test_an_undeclared_index_is_refused_with_the_remedy",
    ),
    "reads any query": (
        with_handle(ReadsAnyQuery),
        "test_a_query_that_does_not_fit_is_refused",
        {"equals": {}, "bounds": {}},
    ),
    "sweep shows documents": (
        with_store(SweepShowsDocuments),
        "test_a_sweep_yields_tenant_and_id_and_nothing_else",
    ),
    "sweeps from the first": (
        with_store(SweepsFromTheFirst),
        "test_a_sweep_goes_on_from_a_value_that_is_included",
    ),
    "sweeps one tenant": (with_store(SweepsOneTenant), "test_a_sweep_yields_tenant_and_id_and_nothing_else"),
    "sweeps one shard": (
        with_store(SweepsOneShard),
        "test_a_sweep_in_shards_finds_all_of_them_in_one_order",
    ),
    "sweeps shard by shard": (
        with_store(SweepsShardByShard),
        "test_a_sweep_in_shards_finds_all_of_them_in_one_order",
    ),
    "null for nonsense": (
        with_handle(WritesNullForNonsense),
        "test_a_value_json_cannot_carry_is_refused",
        {"value": float("nan")},
    ),
    "writes what fits": (
        with_handle(WritesWhatFits),
        "test_a_commit_may_have_five_hundred_writes_and_no_more",
    ),
    "repeats the value": (with_handle(RepeatsTheValue), "test_a_refusal_does_not_repeat_the_value"),
}
"""How to build it, and the guarantee it must fail, with that test's arguments."""
