"""The contract can fail: each broken store fails the guarantee it breaks."""

import pytest

from shared.ports.documents import DocumentError
from tests.contract.documents.broken_documents import BROKEN
from tests.contract.documents.setting import Setting
from tests.contract.documents.suite import DocumentsContract
from tests.contract.failing import failure_of


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_store_fails_its_guarantee(tmp_path, name):
    make, guarantee, *arguments = BROKEN[name]
    async with Setting(tmp_path, make) as setting:
        test = getattr(DocumentsContract(), guarantee)
        assert await failure_of(test, setting, *arguments, refusal=DocumentError)
