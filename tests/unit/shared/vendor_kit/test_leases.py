"""Leases ask of a document store only what every one can do."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from infra.local.documents import SqliteDocuments
from shared.ports.documents import Create, Delete, Update
from shared.vendor_kit.leases import DocumentLeases
from tests.contract.leases.setting import ALPHA, GATEWAY, MINUTE, Setting


class Recorder:
    """A store that notes what is written, and is its own handle."""

    def __init__(self, store):
        self._store, self.written, self.reads = store, [], 0

    def tenant(self, tenant):
        self._inner = self._store.tenant(tenant)
        return self

    async def get(self, ref):
        self.reads += 1
        return await self._inner.get(ref)

    async def commit(self, writes):
        self.written += writes
        return await self._inner.commit(writes)


async def recorded_leases(embedded):
    embedded.recorder = Recorder(SqliteDocuments(embedded.engine, embedded.clock, (), "main"))
    return DocumentLeases(embedded.recorder, embedded.clock)


@pytest.fixture
async def setting(tmp_path):
    async with Setting(tmp_path, recorded_leases, threaded=False) as setting:
        yield setting


async def test_a_lease_is_created_once_and_then_only_updated(setting):
    for _ in range(2):
        lease = await setting.leases.renew(await setting.acquire("first"), MINUTE)
        await setting.leases.release(lease)
    assert [type(write) for write in setting.recorder.written] == [Create] + [Update] * 5
    assert not any(isinstance(write, Delete) for write in setting.recorder.written)


async def test_a_lease_costs_one_read_and_two_writes(setting):
    await setting.leases.release(await setting.acquire("first"))
    assert (setting.recorder.reads, len(setting.recorder.written)) == (1, 2)


async def test_a_lease_that_was_renewed_costs_one_read_more(setting):
    await setting.leases.release(await setting.leases.renew(await setting.acquire("first"), MINUTE))
    assert setting.recorder.reads == 2


async def test_a_lease_without_its_proof_is_looked_up_and_released(setting):
    await setting.leases.release(replace(await setting.acquire("first"), proof=""))
    assert await setting.acquire("second") is not None


async def test_a_lease_never_expires_out_of_the_store(setting):
    await setting.acquire("first")
    assert [write.expires_at for write in setting.recorder.written] == [None]


async def test_a_held_lease_is_refused_without_a_write(setting):
    await setting.acquire("first")
    await setting.acquire("second")
    assert len(setting.recorder.written) == 1


async def test_a_release_that_meets_a_renewal_does_not_raise(setting):
    lease = await setting.acquire("first")
    outcomes = await asyncio.gather(
        setting.leases.release(lease), setting.leases.renew(lease, MINUTE), return_exceptions=True
    )
    assert outcomes[0] is None


async def test_a_lease_is_kept_as_a_plain_document(setting):
    lease = await setting.acquire("first", ttl=timedelta(seconds=90))
    (write,) = setting.recorder.written
    assert (str(write.ref), lease.tenant, lease.name) == (f"leases/{GATEWAY}", ALPHA, GATEWAY)
    assert write.data == {
        "schema_version": 1,
        "holder": "first",
        "fence": 1,
        "expires_at": "2026-05-01T09:01:30Z",
    }
