"""A binding holds the locks of one vendor at one property, and shows no account."""

from dataclasses import replace

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId
from tests.contract.lock.mock_setting import MockSetting
from tests.contract.lock.setting import DOOR_101, DOOR_102, FRONT, NOWHERE, ROOM_101, ROOM_102
from tests.support.vendors import SALTO


@pytest.fixture
def binding(tmp_path):
    return MockSetting(tmp_path).binding(b"an account")


def test_binding_knows_its_locks(binding):
    assert binding.device(DOOR_101).id == DOOR_101
    assert binding.device(NOWHERE) is None


def test_binding_knows_the_doors_on_the_way_to_rooms(binding):
    assert [door.id for door in binding.doors((ROOM_102,))] == [DOOR_102, FRONT]
    assert [door.id for door in binding.doors((ROOM_102, ROOM_101))] == [DOOR_101, DOOR_102, FRONT]


@pytest.mark.parametrize("other", [{"vendor": SALTO}, {"property_id": PropertyId("ppt_elsewhere")}])
def test_binding_refuses_a_lock_of_another(binding, other):
    with pytest.raises(InvalidInput, match="devices"):
        replace(binding, devices=(replace(binding.devices[0], **other),))


def test_binding_shows_no_account(binding):
    assert "an account" not in repr(binding)
