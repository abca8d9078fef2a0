"""Every key at a lock is listed, whoever made it, and the one that is meant is removed."""

from dataclasses import replace

import pytest

from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import DeviceNotPaired, VendorUnreachable
from shared.domain.secret import Secret
from shared.ports.listed_keys import ListsKeys
from tests.contract.lock.mock_setting import MockSetting
from tests.contract.lock.setting import (
    CARD_NUMBER,
    DOOR_101,
    DOOR_102,
    GUEST_ACCOUNT,
    NOWHERE,
    OTHER_PIN,
    PIN,
)
from tests.contract.lock.ttlock_setting import TTLockSetting

CARD, APP = KeyCredentialKind.RFID_CARD, KeyCredentialKind.MOBILE_APP


@pytest.fixture(params=[MockSetting, TTLockSetting])
async def setting(tmp_path, request):
    async with request.param(tmp_path) as setting:
        yield setting


@pytest.fixture
async def ttlock(tmp_path):
    async with TTLockSetting(tmp_path) as setting:
        yield setting


async def listed(setting, door=DOOR_101):
    return (await setting.vendor.list_keys(door)).keys


async def test_a_key_is_listed_with_its_name_number_and_times_at_its_lock_alone(setting):
    assert isinstance(setting.vendor, ListsKeys)
    placed = await setting.vendor.place(setting.key())
    (found,) = await listed(setting)
    assert (found.name, found.vendor_ref) == (setting.key().name, placed.vendor_ref)
    assert (found.valid_from, found.valid_until) == (placed.valid_from, placed.valid_until)
    assert not await listed(setting, DOOR_102)
    assert PIN not in repr(found)


async def test_the_key_that_is_meant_is_removed_and_others_stay(setting):
    await setting.vendor.place(setting.key())
    await setting.vendor.place(setting.key("second", secret=Secret(OTHER_PIN)))
    first, second = await listed(setting)
    await setting.vendor.remove_listed(DOOR_101, first)
    assert await listed(setting) == (second,)
    await setting.vendor.remove_listed(DOOR_101, first)
    assert await listed(setting) == (second,)


async def test_a_number_that_is_another_keys_by_now_is_left_alone(setting):
    await setting.vendor.place(setting.key())
    (found,) = await listed(setting)
    await setting.vendor.remove_listed(DOOR_101, replace(found, name="Cleaner"))
    assert await listed(setting) == (found,)


async def test_a_lock_that_is_none_of_ours_is_refused(setting):
    with pytest.raises(DeviceNotPaired):
        await setting.vendor.list_keys(NOWHERE)


async def test_all_kinds_are_listed_and_what_no_lock_ends_has_no_end(ttlock):
    await ttlock.vendor.place(ttlock.key())
    await ttlock.vendor.place(ttlock.key("card", kind=CARD, secret=Secret(CARD_NUMBER)))
    await ttlock.vendor.place(ttlock.key("app", kind=APP, secret=Secret(GUEST_ACCOUNT)))
    found = {key.kind: key for key in await listed(ttlock)}
    assert set(found) == (await ttlock.vendor.list_keys(DOOR_101)).kinds
    assert [kind for kind, key in found.items() if key.valid_until is None] == [APP]
    assert [kind for kind, key in found.items() if not key.lasting] == [CARD]
    for key in found.values():
        await ttlock.vendor.remove_listed(DOOR_101, key)
    assert not await listed(ttlock)


async def test_a_list_that_is_refused_is_no_list(ttlock):
    await ttlock.vendor.place(ttlock.key())
    await ttlock.break_down()
    with pytest.raises(VendorUnreachable):
        await ttlock.vendor.list_keys(DOOR_101)
