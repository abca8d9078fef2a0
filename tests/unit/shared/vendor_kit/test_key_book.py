"""What a LockPort remembers comes back whole, is sealed at rest, and is never overwritten unseen."""

from dataclasses import replace

import pytest

from shared.domain.grant import name_at_vendor
from shared.domain.secret import Secret
from shared.ports.documents import StaleVersion
from shared.ports.vault import SealBroken
from shared.vendor_kit.kept_key import KeptDoor, KeptKey, id_for
from shared.vendor_kit.key_book import DocumentKeyBook
from tests.contract.lock.mock_setting import MockSetting
from tests.contract.lock.setting import DAY, DOOR_101, FRONT, PIN, PIN_CODE, ROOM_101, TENANT

CANARY = "mock-ref-canary-77"


@pytest.fixture
async def setting(tmp_path):
    async with MockSetting(tmp_path) as setting:
        yield setting


def book_of(setting, vendor="mock"):
    return DocumentKeyBook(setting.means.sealed.tenant(TENANT), setting.means.cipher, vendor)


@pytest.fixture
def key(setting):
    now = setting.clock.now()
    doors = (KeptDoor(DOOR_101, "MM-1", Secret(PIN), vendor_ref=Secret(CANARY)),)
    doors += (KeptDoor(FRONT, "MM-2", Secret(PIN), wanted=False),)
    return KeptKey(
        id=id_for("claim-1"),
        idempotency_key="claim-1",
        kind=PIN_CODE,
        rooms=(ROOM_101,),
        valid_from=now,
        valid_until=now + DAY,
        doors=doors,
        secret_try=2,
        resting=True,
    )


async def test_kept_key_comes_back_whole(setting, key):
    kept = await book_of(setting).keep(key)
    await setting.reopen()
    assert await book_of(setting).find(key.id) == kept == replace(key, version=kept.version)


async def test_unknown_key_is_none(setting, key):
    assert await book_of(setting).find(key.id) is None


async def test_key_somebody_wrote_down_before_is_not_overwritten(setting, key):
    await book_of(setting).keep(key)
    assert await book_of(setting).keep(replace(key, revoked=True)) is None
    assert not (await book_of(setting).find(key.id)).revoked


async def test_key_that_changed_since_it_was_read_is_not_overwritten(setting, key):
    kept = await book_of(setting).keep(key)
    await book_of(setting).keep(replace(kept, revoked=True))
    with pytest.raises(StaleVersion):
        await book_of(setting).keep(replace(kept, resting=False))


async def test_key_is_sealed_for_its_vendor_alone(setting, key):
    await book_of(setting).keep(key)
    with pytest.raises(SealBroken):
        await book_of(setting, "other").find(key.id)
    for file in setting.folder.iterdir():
        assert CANARY.encode() not in file.read_bytes()


def test_key_shows_no_secret(key):
    assert PIN not in repr(key)
    assert CANARY not in repr(key)


def test_same_idempotency_key_names_the_same_key():
    assert id_for("claim-1") == id_for("claim-1") != id_for("claim-2")


def test_name_at_vendor_is_the_beginning_of_a_hash():
    assert name_at_vendor("sha of a claim") == "MM-15573ed7eb0d"
