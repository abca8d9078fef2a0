"""A visit to TTLock's locks: one turn at each gateway, and never two at once."""

import asyncio
from dataclasses import replace

import pytest

from shared.domain.lock_errors import LockError
from shared.domain.secret import Secret
from tests.contract.failing import failure_of
from tests.contract.lock.broken_ttlock import BROKEN_AT_GATEWAYS
from tests.contract.lock.setting import DOOR_101, DOOR_102, FRONT, KABUL
from tests.contract.lock.ttlock_setting import TTLockSetting, turns_at


class TwoGateways(TTLockSetting):
    """The rooms behind one gateway, the front door behind another."""

    def hotel(self):
        hotel = super().hotel()
        rooms, upstairs = hotel.gateways
        rooms = rooms.model_copy(update={"locks": rooms.locks[1:]})
        front = rooms.model_copy(update={"gateway_id": 503, "name": "Front", "locks": (1_000_001,)})
        return hotel.model_copy(update={"gateways": (rooms, upstairs, front)})


async def placed(setting, doors, number=0, vendor=None):
    """Place one key at some doors, on one visit."""
    vendor = vendor or setting.vendor
    key = setting.key(f"key {number}", secret=Secret(f"5{number}8391"))
    async with vendor.visit():
        for door in doors:
            await vendor.place(replace(key, device_id=door))


@pytest.fixture
async def setting(tmp_path):
    async with TwoGateways(tmp_path) as setting:
        yield setting


class TestVisits:
    """What a visit holds, and what it does not."""

    async def test_a_room_and_the_front_door_take_one_turn(self, setting):
        await placed(setting, (DOOR_101, DOOR_102))
        assert await turns_at(setting, 501) == 1

    async def test_locks_behind_two_gateways_take_a_turn_at_each(self, setting):
        await placed(setting, (DOOR_101, FRONT))
        assert [await turns_at(setting, gateway) for gateway in (501, 503)] == [1, 1]

    async def test_visits_to_two_gateways_in_any_order_end(self, setting):
        await setting.vendor.list_devices(KABUL.id)  # or one would ask while the other acts
        await setting.steer("PUT", "latency", cloudMs=[0, 0], gatewayMs=[20, 20])
        other = setting.make_vendor()
        await asyncio.gather(
            placed(setting, (DOOR_101, FRONT), 1), placed(setting, (FRONT, DOOR_101), 2, other)
        )
        assert [await setting.count(door) for door in (DOOR_101, FRONT)] == [2, 2]

    async def test_a_key_issued_whole_is_issued_on_one_visit(self, setting):
        await setting.port.issue_credential(setting.request())
        assert [await turns_at(setting, gateway) for gateway in (501, 503)] == [1, 1]


@pytest.mark.parametrize("broken", BROKEN_AT_GATEWAYS, ids=lambda change: change.__name__)
async def test_broken_visits_fail_their_guarantee(setting, broken, monkeypatch):
    broken(monkeypatch)
    test = getattr(TestVisits(), BROKEN_AT_GATEWAYS[broken])
    assert await failure_of(test, setting, refusal=LockError)
