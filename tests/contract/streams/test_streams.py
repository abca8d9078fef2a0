"""Every aggregate that announces keeps every promise of a stream."""

import pytest

from tests.contract.streams.setting import Breakers, Devices, Keys, Watches
from tests.contract.streams.suite import StreamContract


class _Streams(StreamContract):
    kind = None

    @pytest.fixture
    async def setting(self, tmp_path):
        async with self.kind(tmp_path) as setting:
            yield setting


class TestKeys(_Streams):
    """The streams of keys."""

    kind = Keys


class TestBreakers(_Streams):
    """The streams of vendors' health."""

    kind = Breakers


class TestDevices(_Streams):
    """The streams of locks."""

    kind = Devices


class TestWhateverComesLater(_Streams):
    """The stream of a record that only has the mixin, and its row in the table."""

    kind = Watches
