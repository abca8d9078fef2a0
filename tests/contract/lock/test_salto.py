"""Salto keeps every promise at its simulator, at doors with a line and at doors without."""

import pytest

from tests.contract.lock.carried_suite import CarriedKeysContract, ToldDoorsContract
from tests.contract.lock.salto_setting import OfflineSaltoSetting, SaltoSetting


class TestSaltoOnline(ToldDoorsContract):
    """Doors with a line."""

    @pytest.fixture
    async def setting(self, tmp_path):
        """Stand in a hotel whose doors are told of what is cancelled."""
        async with SaltoSetting(tmp_path) as setting:
            yield setting


class TestSaltoOffline(CarriedKeysContract):
    """Doors without a line."""

    @pytest.fixture
    async def setting(self, tmp_path):
        """Stand in a hotel whose doors hear of nothing."""
        async with OfflineSaltoSetting(tmp_path) as setting:
            yield setting
