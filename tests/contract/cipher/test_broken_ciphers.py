"""The contract can fail: each broken cipher fails the guarantee it breaks."""

import pytest

from shared.ports.vault import SealBroken
from tests.contract.cipher.broken_ciphers import BROKEN
from tests.contract.cipher.setting import Setting, local_cipher
from tests.contract.cipher.suite import CipherContract
from tests.contract.failing import failure_of


@pytest.mark.parametrize(("broken", "guarantee", "arguments"), BROKEN)
async def test_a_broken_cipher_fails_its_guarantee(tmp_path, broken, guarantee, arguments):
    async def make(embedded):
        return broken(await local_cipher(embedded))

    test = getattr(CipherContract(), guarantee)
    async with Setting(tmp_path, make) as setting:
        assert await failure_of(test, setting, arguments, refusal=SealBroken)
