"""The documents of the embedded cloud keep every promise, with the writer thread and without."""

import pytest

from tests.contract.documents.setting import Setting, sqlite_documents
from tests.contract.documents.suite import DocumentsContract


class TestEmbeddedDocuments(DocumentsContract):
    """Documents on SQLite."""

    @pytest.fixture(params=[True, False], ids=["threaded", "inline"])
    async def setting(self, tmp_path, request):
        async with Setting(tmp_path, sqlite_documents, threaded=request.param) as setting:
            yield setting
