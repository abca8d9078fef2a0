"""The contract can fail: secrets broken in one way fail the guarantee they break."""

import pytest

from shared.ports.vault import SecretMissing
from tests.contract.failing import failure_of
from tests.contract.secrets.broken_secrets import BROKEN
from tests.contract.secrets.setting import Setting, local_cipher
from tests.contract.secrets.suite import SecretsContract


@pytest.mark.parametrize(("broken", "guarantee"), BROKEN)
async def test_broken_secrets_fail_their_guarantee(tmp_path, broken, guarantee):
    async def make(embedded):
        return broken(embedded.engine, local_cipher(embedded))

    test = getattr(SecretsContract(), guarantee)
    async with Setting(tmp_path, make) as setting:
        assert await failure_of(test, setting, BROKEN[broken, guarantee], refusal=SecretMissing)
