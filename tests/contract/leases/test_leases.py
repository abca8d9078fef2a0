"""The leases on the embedded cloud's documents keep every promise."""

import pytest

from tests.contract.leases.setting import Setting, document_leases
from tests.contract.leases.suite import LeasesContract


class TestEmbeddedLeases(LeasesContract):
    """Leases on SQLite."""

    @pytest.fixture
    async def setting(self, tmp_path):
        async with Setting(tmp_path, document_leases) as setting:
            yield setting
