"""Google's emulators, one of each for all tests of a machine; their tests keep apart by project."""

import pytest

from tests.emulators.installed import FIRESTORE, PUBSUB, running


@pytest.fixture(scope="session")
def firestore_emulator():
    """The address of a Firestore emulator."""
    with running(FIRESTORE) as address:
        yield address


@pytest.fixture(scope="session")
def pubsub_emulator():
    """The address of a Pub/Sub emulator."""
    with running(PUBSUB) as address:
        yield address
