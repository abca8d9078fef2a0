"""What a master key opens: scopes become rooms, doors and lifts, and these as few credentials as may be."""

import pytest

from shared.domain.ids import RoomId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.master_key import MasterKey, PerShift
from shared.domain.premises import LockDevice
from shared.domain.scope import AccessScope, MasterScope
from shared.usecases.staff.reach import MOST_LOCKS, House, Reach, bunches_of, reach_of
from tests.support.few_doors import door, premises
from tests.support.ledger_books import MOCK
from tests.unit.shared.domain.test_master_key import master_key

PIN, CARD = KeyCredentialKind.PIN_CODE, KeyCredentialKind.RFID_CARD
HOUSE = House(
    floors={RoomId("rmu_1"): "1", RoomId("rmu_2"): "1", RoomId("rmu_3"): "2", RoomId("rmu_4"): "2"},
    locked=frozenset(map(RoomId, ("rmu_1", "rmu_2", "rmu_3"))),
    assigned=frozenset(map(RoomId, ("rmu_3", "rmu_4"))),
)


def opened(*scopes):
    from dataclasses import replace

    key: MasterKey = replace(master_key(PerShift("s")), scopes=tuple(map(MasterScope.parse, scopes)))
    return reach_of(key, HOUSE)


@pytest.mark.parametrize(
    ("scopes", "rooms", "scope"),
    [
        (("room:rmu_2",), ("rmu_2",), AccessScope(floors=("1",))),
        (("floor:1",), ("rmu_1", "rmu_2"), AccessScope(floors=("1",))),
        (("floor:2",), ("rmu_3",), AccessScope(floors=("2",))),
        (("floor:9",), (), AccessScope()),
        (("rooms:assigned",), ("rmu_3",), AccessScope(floors=("2",))),
        (("rooms:all",), ("rmu_1", "rmu_2", "rmu_3"), AccessScope(floors=("1", "2"))),
        (("areas:pool",), (), AccessScope(areas=("pool",))),
        (("areas:all",), (), AccessScope(areas=("lobby", "gym", "pool", "spa", "parking"))),
        (("back_of_house",), (), AccessScope(back_of_house=True)),
        (("room:rmu_1", "areas:spa", "back_of_house"), ("rmu_1",), AccessScope(("1",), ("spa",), True)),
    ],
)
def test_each_scope_of_the_specification_opens_its_rooms_and_what_is_besides(scopes, rooms, scope):
    assert opened(*scopes) == Reach(rooms, scope)


def test_one_credential_has_no_more_locks_than_can_be_written_down_and_the_next_takes_the_rest():
    rooms = [RoomId(f"rmu_{number}") for number in range(2 * MOST_LOCKS + 1)]
    doors = [_lock(number, [room]) for number, room in enumerate(rooms)]
    bunches = bunches_of(Reach(tuple(rooms)), premises(*doors), ())
    assert [len(bunch.doors) for bunch in bunches] == [MOST_LOCKS, MOST_LOCKS, 1]
    assert [room for bunch in bunches for room in bunch.rooms] == rooms


def test_doors_that_know_no_kind_in_common_are_opened_by_keys_of_their_own():
    pins, cards = door(1, ["rmu_1"], "pin"), door(2, ["rmu_2"], "card_encoding")
    bunches = bunches_of(Reach(("rmu_1", "rmu_2")), premises(pins, cards), ())
    assert [(bunch.rooms, bunch.kinds) for bunch in bunches] == [(("rmu_1",), (PIN,)), (("rmu_2",), (CARD,))]


def test_what_is_wished_for_comes_first_where_all_doors_know_it():
    (bunch,) = bunches_of(Reach(("rmu_1",)), premises(door(1, ["rmu_1"], "pin", "card_encoding")), (CARD,))
    assert bunch.kinds[0] is CARD


def test_doors_of_an_area_are_opened_without_a_room_and_none_that_knows_no_key():
    spa = _lock(1, [], areas=("spa",))
    scope = AccessScope(areas=("spa",))
    (bunch,) = bunches_of(Reach((), scope), premises(spa), ())
    assert (bunch.rooms, bunch.doors, bunch.scope) == ((), (spa,), scope)
    assert bunches_of(Reach((), scope), premises(_lock(1, [], able=False, areas=("spa",))), ()) == ()


def _lock(number, rooms, able=True, **where):
    known = door(1, ["rmu_1"], *(["pin"] if able else []))
    return LockDevice(
        id=f"lck_01KSAMP1E{number:0>17}",
        property_id=known.property_id,
        vendor=MOCK,
        vendor_device=str(number),
        label=str(number),
        rooms=tuple(rooms),
        capabilities=known.capabilities,
        **where,
    )
