"""Firestore keeps every promise of the document store, on Google's emulator of it."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from shared.ports.documents import AlreadyExists, Create, Delete, Ref, StaleVersion, Update
from shared.ports.trouble import ServiceTrouble
from tests.contract.documents.setting import ALPHA, INDEXES, ROOM, Words
from tests.contract.documents.suite import DocumentsContract
from tests.contract.failing import failure_of
from tests.emulators import deviations
from tests.emulators.firestore import LosesAnswers, firestore_store
from tests.emulators.google import OnGoogle

NEXT = Ref("rooms", "205")


async def both_databases(google):
    """Build the stores on one client."""
    databases = {"main": google.settings.main_database, "sealed": google.settings.sealed_database}
    return SimpleNamespace(
        **{name: firestore_store(google, database, INDEXES) for name, database in databases.items()}
    )


class FirestoreSetting(Words, OnGoogle):
    """The words, on Firestore."""

    def losing_answers(self):
        """Return a handle whose every commit is sent twice, and answered once."""
        client = LosesAnswers(self.clients.of("firestore")())
        return firestore_store(self, self.settings.main_database, connect=lambda: client).tenant(ALPHA)


@pytest.fixture
async def setting(firestore_emulator):
    async with FirestoreSetting(both_databases, firestore=firestore_emulator) as setting:
        yield setting


class TestFirestoreDocuments(deviations.without(DocumentsContract, deviations.DOCUMENTS)):
    """Documents on Firestore."""


@pytest.mark.parametrize("guarantee", deviations.DOCUMENTS)
async def test_a_deviation_of_the_emulator_is_still_one(setting, guarantee):
    test = getattr(DocumentsContract(), guarantee)
    assert await failure_of(test, setting, refusal=ServiceTrouble)


async def test_a_commit_whose_answer_was_lost_is_known_for_our_own(setting):
    old = await setting.create(NEXT, {"floor": 2})
    writes = [Create(ROOM, {"floor": 3}), Update(NEXT, {"floor": 4}, old)]
    versions = await setting.losing_answers().commit(writes)
    assert versions == tuple([(await setting.alpha.get(ref)).version for ref in (ROOM, NEXT)])


async def test_a_commit_that_met_anothers_is_told_apart_from_our_own(setting):
    await setting.create(ROOM, {"floor": 3})
    with pytest.raises(AlreadyExists):
        await setting.losing_answers().commit([Create(ROOM, {"floor": 3})])


async def test_a_commit_names_the_write_that_stood_in_its_way(setting):
    version = await setting.create(ROOM, {"floor": 2})
    await setting.create(NEXT, {})
    with pytest.raises(AlreadyExists, match="rooms/205"):
        await setting.alpha.commit([Update(ROOM, {}, version), Create(NEXT, {})])
    with pytest.raises(StaleVersion, match="rooms/205"):
        await setting.alpha.commit([Update(ROOM, {}, version), Delete(NEXT, version)])
    assert await setting.data(ROOM) == {"floor": 2}


async def test_an_expired_document_is_replaced_together_with_other_writes(setting):
    await setting.create(ROOM, {"floor": 2}, expires_at=setting.clock.now() + timedelta(minutes=1))
    version = await setting.create(NEXT, {})
    setting.clock.advance(minutes=1)
    await setting.alpha.commit([Create(ROOM, {"floor": 3}), Update(NEXT, {"floor": 4}, version)])
    assert [await setting.data(ref) for ref in (ROOM, NEXT)] == [{"floor": 3}, {"floor": 4}]
