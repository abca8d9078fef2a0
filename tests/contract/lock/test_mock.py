"""The mock keeps every promise."""

import pytest

from tests.contract.lock.mock_setting import MockSetting, TellingSetting
from tests.contract.lock.port_suite import PinPortContract
from tests.contract.lock.suite import LockVendorContract


@pytest.fixture
async def setting(tmp_path):
    async with MockSetting(tmp_path) as setting:
        yield setting


class TestMockVendor(LockVendorContract):
    """The mock, lock by lock."""


class TestMockLockPort(PinPortContract):
    """The mock's LockPort."""


class TestMockThatTells(LockVendorContract):
    """The mock with a platform of its own."""

    @pytest.fixture
    async def setting(self, tmp_path):
        async with TellingSetting(tmp_path) as setting:
            yield setting
