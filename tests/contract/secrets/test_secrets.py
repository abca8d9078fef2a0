"""The secrets of the embedded cloud keep every promise."""

import pytest

from tests.contract.secrets.setting import Setting, sqlite_secrets
from tests.contract.secrets.suite import SecretsContract


class TestEmbeddedSecrets(SecretsContract):
    """Secrets on SQLite."""

    @pytest.fixture
    async def setting(self, tmp_path):
        async with Setting(tmp_path, sqlite_secrets) as setting:
            yield setting
