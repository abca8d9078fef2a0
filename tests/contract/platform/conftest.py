"""The sample hotel on Google Cloud, where its emulators are installed."""

import pytest

from tests.contract.platform.hotel import hotel


@pytest.fixture
async def house(tmp_path, firestore_emulator, pubsub_emulator, no_platform):
    """The hotel, in a Google project of its own."""
    async with hotel(tmp_path, firestore_emulator, pubsub_emulator) as opened:
        yield opened
