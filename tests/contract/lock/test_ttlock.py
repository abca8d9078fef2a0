"""TTLock keeps every promise, at the simulator."""

import pytest

from tests.contract.lock.port_suite import PinPortContract
from tests.contract.lock.suite import LockVendorContract
from tests.contract.lock.ttlock_setting import TTLockSetting


@pytest.fixture
async def setting(tmp_path):
    async with TTLockSetting(tmp_path) as setting:
        yield setting


class TestTTLock(LockVendorContract):
    """TTLock, lock by lock."""


class TestTTLockPort(PinPortContract):
    """TTLock's LockPort."""
