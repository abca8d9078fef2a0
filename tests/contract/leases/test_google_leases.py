"""The leases keep every promise on Firestore too."""

import pytest

from shared.vendor_kit.leases import DocumentLeases
from tests.contract.leases.setting import Words
from tests.contract.leases.suite import LeasesContract
from tests.emulators.firestore import firestore_store
from tests.emulators.google import OnGoogle


async def firestore_leases(google):
    """Build the leases on the documents of Firestore."""
    return DocumentLeases(firestore_store(google, google.settings.main_database), google.clock)


class FirestoreSetting(Words, OnGoogle):
    """The words, on Firestore."""


class TestFirestoreLeases(LeasesContract):
    """Leases on Firestore."""

    @pytest.fixture
    async def setting(self, firestore_emulator):
        async with FirestoreSetting(firestore_leases, firestore=firestore_emulator) as setting:
            yield setting
