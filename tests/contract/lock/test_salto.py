"""Salto keeps every promise at its simulator, at doors with a line and at doors without."""

import pytest

from tests.contract.lock.carried_port_suite import CarriedPortContract, DeskPortContract
from tests.contract.lock.carried_suite import CarriedKeysContract, ToldDoorsContract
from tests.contract.lock.desk_setting import DeskSetting
from tests.contract.lock.desk_suite import DeskContract
from tests.contract.lock.port_suite import LockPortContract
from tests.contract.lock.salto_setting import OfflineSaltoSetting, SaltoSetting
from tests.support.vendors import SALTO


class SpaceSetting(DeskSetting):
    """A desk that has its cards written by Space."""

    vendor_code = SALTO

    def binding(self, account=None, **changes):
        return super().binding(
            account or {"apiKey": "k", "baseUrl": "https://test.saltosystems.com"}, **changes
        )


class TestSaltoCards(DeskContract):
    """Cards, which somebody lays on an encoder at the desk."""

    test_the_property_s_locks_are_listed = None  # that is the connector's to say
    test_what_a_desk_cannot_make_is_refused_for_good = None  # phones are the connector's

    @pytest.fixture
    async def setting(self, tmp_path):
        """Stand at a desk."""
        async with SpaceSetting(tmp_path) as setting:
            yield setting


class TestSaltoCardsPort(DeskPortContract):
    """Salto's LockPort for cards."""

    test_devices_are_the_desk_s = None  # that is the connector's to say

    @pytest.fixture
    async def setting(self, tmp_path):
        """Stand at a desk."""
        async with SpaceSetting(tmp_path) as setting:
            yield setting


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


class TestSaltoOnlinePort(LockPortContract):
    """Salto's LockPort, where doors have a line."""

    @pytest.fixture
    async def setting(self, tmp_path):
        """Stand in a hotel whose doors are told of what is cancelled."""
        async with SaltoSetting(tmp_path) as setting:
            yield setting


class TestSaltoOfflinePort(CarriedPortContract):
    """Salto's LockPort, where doors have none."""

    @pytest.fixture
    async def setting(self, tmp_path):
        """Stand in a hotel whose doors hear of nothing."""
        async with OfflineSaltoSetting(tmp_path) as setting:
            yield setting
