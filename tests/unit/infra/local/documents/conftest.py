"""Documents on a file, with a clock that tests move."""

import pytest

from tests.contract.documents.setting import Setting, sqlite_documents


@pytest.fixture
async def setting(tmp_path):
    async with Setting(tmp_path, sqlite_documents, threaded=False) as setting:
        yield setting
