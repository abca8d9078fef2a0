"""Which gateway reaches a lock is noted once and asked often."""

import asyncio

import pytest

from shared.vendors.ttlock.gateways import Gateways, Reach
from tests.contract.lock.setting import TENANT
from tests.contract.lock.ttlock_setting import TTLockSetting

NOTED = {"1000101": Reach("501", online=True), "1000102": Reach("502", online=False)}


@pytest.fixture
async def setting(tmp_path):
    async with TTLockSetting(tmp_path) as setting:
        yield setting


def gateways(setting, property_id="ppt_kabul"):
    return Gateways(setting.means.documents.tenant(TENANT), "ttlock", property_id)


async def test_lock_nobody_noted_takes_the_turn_of_the_whole_property(setting):
    assert await gateways(setting).turn_at("1000101") == "gateway:ttlock:ppt_kabul"


async def test_lock_that_was_noted_takes_its_gateway_s_turn(setting):
    await gateways(setting).note(NOTED)
    turns = [await gateways(setting).turn_at(lock) for lock in ("1000101", "1000102", "1000203")]
    assert turns == ["gateway:ttlock:501", "gateway:ttlock:502", "gateway:ttlock:ppt_kabul"]


async def test_what_has_not_changed_is_not_written_again(setting):
    await gateways(setting).note(NOTED)
    written = setting.engine.counters["document_writes"]
    await gateways(setting).note(NOTED)
    assert setting.engine.counters["document_writes"] == written
    await gateways(setting).note({})
    assert setting.engine.counters["document_writes"] == written + 1


async def test_two_may_note_it_at_once(setting):
    first, second = gateways(setting), gateways(setting)
    await asyncio.gather(first.note(NOTED), second.note(NOTED))
    assert await second.turn_at("1000101") == await gateways(setting).turn_at("1000101")


async def test_properties_have_maps_of_their_own(setting):
    await gateways(setting).note(NOTED)
    assert await gateways(setting, "ppt_herat").turn_at("1000101") == "gateway:ttlock:ppt_herat"
