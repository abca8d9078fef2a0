"""A process that died held leases; the next one finds them free, with fences that only grow."""

from datetime import timedelta

from infra.local.documents.orphans import free_orphans
from shared.vendor_kit.leases import DocumentLeases
from tests.contract.documents.setting import ALPHA

TTL = timedelta(seconds=30)


async def test_what_the_dead_held_is_free_and_the_next_holder_s_fence_is_higher(setting):
    leases = DocumentLeases(setting.store, setting.clock)
    dead = await leases.acquire(ALPHA, "gateway:1", "the dead", TTL)
    assert await leases.acquire(ALPHA, "gateway:1", "the next", TTL) is None
    await setting.reopen()
    assert await free_orphans(setting.engine, DocumentLeases(setting.store, setting.clock)) == 1
    risen = await DocumentLeases(setting.store, setting.clock).acquire(ALPHA, "gateway:1", "the next", TTL)
    assert risen is not None
    assert risen.fence > dead.fence


async def test_what_nobody_holds_is_left_alone(setting):
    leases = DocumentLeases(setting.store, setting.clock)
    await leases.release(await leases.acquire(ALPHA, "gateway:1", "somebody", TTL))
    assert await free_orphans(setting.engine, leases) == 0
