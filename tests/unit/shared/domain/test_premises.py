"""Locks lead to rooms, to areas and floors, or behind the house; to somewhere, at any rate."""

import pytest

from shared.domain.capabilities import LockCapabilities
from shared.domain.documents import from_document, to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId, RoomId
from shared.domain.kinds import Area, VendorCode
from shared.domain.premises import LockDevice, Locks, doors_of
from shared.domain.scope import AccessScope


def lock(**leads):
    return LockDevice(
        id=LockDeviceId("lck_01KSAMP1E00000000000000001"),
        property_id=PropertyId("ppt_kabul"),
        vendor=VendorCode("ttlock"),
        vendor_device="1",
        label="Door",
        capabilities=LockCapabilities(pin=True),
        **{"rooms": (), **leads},
    )


@pytest.mark.parametrize(
    "leads",
    [{"areas": tuple(Area)[:1]}, {"back_of_house": True}, {"floor": "3"}, {"rooms": (RoomId("rmu_1"),)}],
)
def test_a_door_may_lead_to_no_room_and_is_kept_with_what_it_leads_to(leads):
    assert from_document(LockDevice, to_document(lock(**leads))) == lock(**leads)


def test_a_door_that_leads_nowhere_is_refused():
    with pytest.raises(InvalidInput, match="leads nowhere"):
        lock()


def test_a_door_without_rooms_is_no_guest_room_s():
    assert doors_of([RoomId("rmu_1")], [lock(back_of_house=True)]) == ()


def test_locks_are_found_by_their_rooms_as_a_look_at_each_finds_them():
    rooms = [RoomId(f"rmu_{number}") for number in range(4)]
    devices = [
        lock(rooms=(rooms[2],)),
        lock(rooms=tuple(rooms)),
        lock(back_of_house=True),
        lock(rooms=(rooms[0], rooms[2])),
        lock(floor="3"),
    ]
    for scope in (AccessScope(), AccessScope(floors=("3",)), AccessScope(back_of_house=True)):
        for asked in ([], rooms[:1], rooms[2:3], [rooms[2], rooms[0]], rooms, [RoomId("rmu_elsewhere")]):
            assert doors_of(asked, Locks(devices), scope) == doors_of(asked, devices, scope)
