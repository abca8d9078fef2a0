"""The small world's documents keep every promise that the real ones keep."""

from types import SimpleNamespace

import pytest

from tests.chaos.small_world.documents import MemoryDocuments, Table
from tests.chaos.small_world.fate import Air
from tests.chaos.small_world.weather import clear_sky
from tests.contract.documents.setting import INDEXES, Words
from tests.contract.documents.suite import DocumentsContract
from tests.contract.embedded import ManualClock


class MemorySetting(Words):
    """The words, on shelves that outlive their stores."""

    def __init__(self):
        self.clock, self._shelves = ManualClock(), {"main": Table(), "sealed": Table()}

    async def reopen(self):
        """End, and begin again as after a restart."""
        air = Air(clear_sky(), kill=lambda: None)
        stores = {
            name: MemoryDocuments(shelf, self.clock, INDEXES, air) for name, shelf in self._shelves.items()
        }
        self.subject = SimpleNamespace(**stores)


class TestMemoryDocuments(DocumentsContract):
    """Documents in memory."""

    @pytest.fixture
    async def setting(self):
        setting = MemorySetting()
        await setting.reopen()
        return setting
