"""Assa Abloy keeps every promise in both of its dialects, at its simulator."""

import pytest

from tests.contract.lock.assa_abloy_setting import VisionlineSetting, VostioSetting
from tests.contract.lock.carried_port_suite import CarriedPortContract
from tests.contract.lock.carried_suite import CarriedKeysContract
from tests.contract.lock.port_suite import LockPortContract
from tests.contract.lock.suite import LockVendorContract


class TestVostio(LockVendorContract):
    """Access grants at Vostio, lock by lock."""

    @pytest.fixture
    async def setting(self, tmp_path):
        """Stand in a hotel of online locks."""
        async with VostioSetting(tmp_path) as setting:
            yield setting


class TestVostioPort(LockPortContract):
    """Vostio's LockPort."""

    @pytest.fixture
    async def setting(self, tmp_path):
        """Stand in a hotel of online locks."""
        async with VostioSetting(tmp_path) as setting:
            yield setting


class TestVisionline(CarriedKeysContract):
    """Keys on phones, at a hotel's own Visionline server."""

    @pytest.fixture
    async def setting(self, tmp_path):
        """Stand in a hotel of offline locks."""
        async with VisionlineSetting(tmp_path) as setting:
            yield setting


class TestVisionlinePort(CarriedPortContract):
    """Visionline's LockPort."""

    @pytest.fixture
    async def setting(self, tmp_path):
        """Stand in a hotel of offline locks."""
        async with VisionlineSetting(tmp_path) as setting:
            yield setting
