"""Expiry: a document past it is absent to everybody, whether or not it was removed already."""

from datetime import timedelta

import pytest

from shared.ports.documents import AlreadyExists, Ref, StaleVersion
from tests.contract.documents.setting import DUE, ROOM

SAGA = Ref("sagas", "one")
WAITING = {"state": "waiting", "due_at": "2026"}


async def short_lived(setting, ref=ROOM, data=None):
    """Create a document that lives for a minute."""
    expires_at = setting.clock.now() + timedelta(minutes=1)
    return await setting.create(ref, data or {"floor": 2}, expires_at=expires_at)


class Expiring:
    """`expires_at`."""

    async def test_a_document_lives_until_its_expiry(self, setting):
        await short_lived(setting)
        setting.clock.advance(seconds=59, milliseconds=999)
        assert await setting.data(ROOM) == {"floor": 2}

    async def test_an_expired_document_is_not_read(self, setting):
        await short_lived(setting)
        setting.clock.advance(minutes=1)
        assert await setting.data(ROOM) is None
        assert [*await setting.alpha.get_all([ROOM])] == [None]

    async def test_an_expired_document_is_not_found_by_a_query(self, setting):
        await short_lived(setting, SAGA, WAITING)
        setting.clock.advance(minutes=1)
        assert list(await setting.alpha.query(DUE, {"state": "waiting"})) == []

    async def test_an_expired_document_is_not_found_by_a_sweep(self, setting):
        await short_lived(setting, SAGA, WAITING)
        setting.clock.advance(minutes=1)
        assert list(await setting.store.sweep(DUE, {"state": "waiting"}, until="2027")) == []

    async def test_expired_documents_do_not_use_up_the_limit(self, setting):
        for number in range(3):
            await short_lived(setting, Ref("sagas", f"{number}"), WAITING)
        await setting.sagas({"9": WAITING})
        setting.clock.advance(minutes=1)
        found = await setting.alpha.query(DUE, {"state": "waiting"}, limit=1)
        assert [document.ref.id for document in found] == ["9"]

    async def test_a_create_replaces_an_expired_document(self, setting):
        old = await short_lived(setting)
        setting.clock.advance(minutes=1)
        assert await setting.create(ROOM, {"floor": 3}) != old
        setting.clock.advance(days=365)
        assert await setting.data(ROOM) == {"floor": 3}

    async def test_a_create_refuses_a_document_before_its_expiry(self, setting):
        await short_lived(setting)
        setting.clock.advance(seconds=59)
        with pytest.raises(AlreadyExists):
            await setting.create(ROOM, {"floor": 3})

    async def test_an_update_or_delete_of_an_expired_document_is_stale(self, setting):
        version = await short_lived(setting)
        setting.clock.advance(minutes=1)
        with pytest.raises(StaleVersion):
            await setting.update(ROOM, {"floor": 3}, version)
        with pytest.raises(StaleVersion):
            await setting.delete(ROOM, version)
        assert await setting.data(ROOM) is None

    async def test_an_update_sets_the_expiry_anew(self, setting):
        version = await short_lived(setting)
        later = setting.clock.now() + timedelta(hours=1)
        version = await setting.update(ROOM, {"floor": 3}, version, expires_at=later)
        setting.clock.advance(minutes=59)
        assert await setting.data(ROOM) == {"floor": 3}
        await setting.update(ROOM, {"floor": 4}, version)
        setting.clock.advance(days=365)
        assert await setting.data(ROOM) == {"floor": 4}
