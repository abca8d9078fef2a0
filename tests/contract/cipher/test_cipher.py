"""The cipher of the embedded cloud keeps every promise, also behind its guard."""

import pytest

from infra.local.cipher import GuardedCipher
from tests.contract.cipher.setting import PIN, Setting, local_cipher
from tests.contract.cipher.suite import OTHERS, CipherContract

OPENS = frozenset({PIN.purpose, OTHERS["purpose"]})


async def guarded_cipher(embedded):
    return GuardedCipher(await local_cipher(embedded), lambda: OPENS)


class TestEmbeddedCipher(CipherContract):
    """The cipher on a key file."""

    @pytest.fixture(params=[local_cipher, guarded_cipher])
    async def setting(self, tmp_path, request):
        async with Setting(tmp_path, request.param) as setting:
            yield setting
