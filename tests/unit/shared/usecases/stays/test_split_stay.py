"""A stay becomes as few keys as its vendors and locks allow, each with its kinds in the guest's order."""

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import RoomId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.policy import DEFAULT_POLICY
from shared.usecases.stays.split_stay import split_stay
from tests.support.few_doors import ROOMS, door, premises
from tests.support.ledger_books import MOCK, TTLOCK

APP, PIN, CARD, QR, NFC = (
    KeyCredentialKind(kind) for kind in ("mobile_app", "pin_code", "rfid_card", "qr_code", "nfc_tag")
)
ONE, TWO, THREE = ROOMS[:3]


def shares(rooms, hotel, wished=()):
    """Return the keys of a stay: vendor, rooms, the numbers of the doors, kinds."""
    return [
        (share.vendor, share.rooms, [int(each.vendor_device) for each in share.doors], share.kinds)
        for share in split_stay(rooms, hotel, wished)
    ]


def test_rooms_of_one_vendor_with_a_kind_in_common_are_one_key():
    hotel = premises(door(1, [ONE], "pin", "qr"), door(2, [TWO], "pin", "nfc"))
    assert shares([ONE, TWO], hotel) == [(MOCK, (ONE, TWO), [1, 2], (PIN,))]


def test_each_vendor_has_a_key_of_its_own():
    hotel = premises(door(1, [ONE], "pin"), door(2, [TWO], "pin", vendor=TTLOCK))
    assert shares([ONE, TWO], hotel) == [(MOCK, (ONE,), [1], (PIN,)), (TTLOCK, (TWO,), [2], (PIN,))]


def test_a_room_behind_doors_of_two_vendors_is_in_both_keys():
    hotel = premises(door(1, [ONE], "pin"), door(2, [ONE], "pin", vendor=TTLOCK))
    assert shares([ONE], hotel) == [(MOCK, (ONE,), [1], (PIN,)), (TTLOCK, (ONE,), [2], (PIN,))]


def test_a_door_that_rooms_share_is_in_the_key_once():
    hotel = premises(door(1, [ONE], "pin"), door(2, [TWO], "pin"), door(9, [ONE, TWO], "pin"))
    assert shares([ONE, TWO], hotel) == [(MOCK, (ONE, TWO), [1, 9, 2], (PIN,))]


def test_doors_of_rooms_that_are_not_booked_stay_out():
    hotel = premises(door(1, [ONE], "pin"), door(2, [TWO], "pin"))
    assert shares([TWO], hotel) == [(MOCK, (TWO,), [2], (PIN,))]


def test_rooms_without_a_kind_in_common_are_keys_apart():
    hotel = premises(door(1, [ONE], "pin"), door(2, [TWO], "qr"))
    assert [(rooms, kinds) for _, rooms, _, kinds in shares([ONE, TWO], hotel)] == [
        ((ONE,), (PIN,)),
        ((TWO,), (QR,)),
    ]


def test_a_room_joins_the_first_key_it_has_a_kind_in_common_with():
    hotel = premises(door(1, [ONE], "pin"), door(2, [TWO], "qr"), door(3, [THREE], "qr", "pin"))
    assert [rooms for _, rooms, _, _ in shares([ONE, TWO, THREE], hotel)] == [(ONE, THREE), (TWO,)]


def test_a_key_of_many_rooms_keeps_the_kinds_that_all_of_them_know():
    hotel = premises(
        door(1, [ONE], "pin", "qr", "nfc"), door(2, [TWO], "qr", "nfc"), door(3, [THREE], "nfc", "pin")
    )
    assert [(rooms, kinds) for _, rooms, _, kinds in shares([ONE, TWO, THREE], hotel)] == [
        ((ONE, TWO, THREE), (NFC,))
    ]


def test_kinds_are_in_the_policy_s_order():
    hotel = premises(door(1, [ONE], "nfc", "pin", "mobile_key"))
    assert shares([ONE], hotel)[0][3] == (APP, PIN, NFC)


def test_wished_kinds_come_first_and_the_policy_s_others_after_them():
    hotel = premises(door(1, [ONE], "nfc", "pin", "mobile_key"))
    assert shares([ONE], hotel, [NFC, PIN])[0][3] == (NFC, PIN, APP)


def test_a_wish_cannot_add_what_the_policy_or_the_lock_does_not_allow():
    policy = DEFAULT_POLICY.with_settings({"preferredKinds": ["pin_code", "qr_code"]})
    hotel = premises(door(1, [ONE], "nfc", "pin"), policy=policy)
    assert shares([ONE], hotel, [NFC, QR])[0][3] == (PIN,)


def test_an_app_s_key_on_ttlock_needs_the_tenant_s_consent():
    doors = [door(1, [ONE], "mobile_key", "pin", vendor=TTLOCK)]
    assert shares([ONE], premises(*doors), [APP])[0][3] == (PIN,)
    consenting = DEFAULT_POLICY.with_settings({"ttlockEKeys": True})
    assert shares([ONE], premises(*doors, policy=consenting), [APP])[0][3] == (APP, PIN)


def test_rooms_that_no_kind_opens_are_one_impossible_key_that_remembers_the_wish():
    hotel = premises(door(1, [ONE]), door(2, [TWO]), door(3, [THREE], "pin"))
    impossible, possible = split_stay([ONE, TWO, THREE], hotel, [])
    assert (impossible.possible, impossible.rooms) == (False, (ONE, TWO))
    assert [(choice.vendor, choice.kind) for choice in impossible.plan([CARD]).choices] == [(MOCK, CARD)]
    assert [choice.kind for choice in possible.plan([CARD]).choices] == [PIN]


def test_an_unmapped_room_refuses_the_whole_stay_and_is_named_by_its_place():
    hotel = premises(door(1, [ONE], "pin"))
    with pytest.raises(InvalidInput) as refused:
        split_stay([ONE, RoomId("rmu_999")], hotel, [])
    assert refused.value.field == "data.rooms[1]"
    assert "replay" in refused.value.remedy
    assert "999" not in str(refused.value)
