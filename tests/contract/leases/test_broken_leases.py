"""The contract can fail: leases broken in one way fail the guarantee they break."""

import pytest

from infra.local.documents import SqliteDocuments
from shared.ports.leases import LeaseLost
from tests.contract.failing import failure_of
from tests.contract.leases.broken_leases import ARGUMENTS, BROKEN
from tests.contract.leases.setting import Setting
from tests.contract.leases.suite import LeasesContract


@pytest.mark.parametrize("broken", BROKEN)
async def test_broken_leases_fail_their_guarantee(tmp_path, broken):
    async def make(embedded):
        return broken(SqliteDocuments(embedded.engine, embedded.clock, (), "main"), embedded.clock)

    test = getattr(LeasesContract(), BROKEN[broken])
    async with Setting(tmp_path, make) as setting:
        assert await failure_of(test, setting, ARGUMENTS.get(broken), refusal=LeaseLost)
