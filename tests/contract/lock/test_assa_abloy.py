"""Assa Abloy keeps every promise, at its simulator."""

import pytest

from tests.contract.lock.assa_abloy_setting import VostioSetting
from tests.contract.lock.suite import LockVendorContract


@pytest.fixture
async def setting(tmp_path):
    async with VostioSetting(tmp_path) as setting:
        yield setting


class TestVostio(LockVendorContract):
    """Access grants at Vostio, lock by lock."""
