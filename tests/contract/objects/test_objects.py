"""The objects of the embedded cloud keep every promise."""

import pytest

from infra.local.objects import SCHEMA, SqliteObjects
from tests.contract.embedded import Embedded
from tests.contract.objects.suite import ObjectsContract


async def sqlite_objects(embedded):
    return SqliteObjects(embedded.engine, embedded.clock)


class TestEmbeddedObjects(ObjectsContract):
    """Objects on SQLite."""

    @pytest.fixture
    async def setting(self, tmp_path):
        async with Embedded(tmp_path, sqlite_objects, schema=SCHEMA) as setting:
            yield setting
