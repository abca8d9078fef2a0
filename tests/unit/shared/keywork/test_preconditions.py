"""What cannot become a key is refused before its vendor is asked, for the first reason that holds."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from shared.domain.capabilities import LockCapabilities
from shared.domain.ids import LockDeviceId, RoomId
from shared.domain.kinds import Area
from shared.domain.lock_errors import CredentialExpired, DeviceNotPaired, KeyIssueFailed
from shared.domain.plan import MAX_ATTEMPTS, Choice, IssuePlan
from shared.domain.premises import LockDevice
from shared.domain.scope import NO_SCOPE, AccessScope
from shared.domain.window import StayWindow
from shared.keywork.attempt import AttemptContext
from shared.keywork.preconditions import why_hopeless
from shared.keywork.prepare import doors_for
from tests.support.ledger_books import KABUL, MOCK, PIN_CODE, RFID_CARD, ROOM


class Port:
    """An adapter that can do what it is told it can."""

    def __init__(self, **able):
        self._able = LockCapabilities(**able)

    def describe_adapter(self):
        return SimpleNamespace(capabilities=self._able)


A_DOOR = SimpleNamespace(id="lck_a", rooms=(ROOM,))


def at_desk(doors=(A_DOOR,), quarantined=(), **able):
    binding = SimpleNamespace(doors=lambda _rooms: tuple(doors), devices=tuple(doors))
    premises = SimpleNamespace(quarantined=frozenset(quarantined))
    return SimpleNamespace(vendor=MOCK, port=Port(**able), binding=binding, premises=premises)


@pytest.fixture
def task(books):
    """Make a task of a key with a plan, a number of attempts behind it, and an end some time from now."""

    def make(kind=PIN_CODE, attempts=0, ends=timedelta(days=1)):
        now = books.clock.now()
        window = StayWindow(now - timedelta(days=2), now + ends, "Asia/Kabul")
        entry, _ = books.requested()
        core = replace(entry.credential.core, window=window, plan=IssuePlan((Choice(MOCK, kind),)))
        credential = replace(entry.credential, core=core)
        for _ in range(attempts):
            credential = credential.attempting(now).refused(KeyIssueFailed.code, now)
        return AttemptContext(replace(entry, credential=credential), books.ledger, books.services, MOCK)

    return make


@pytest.mark.parametrize("attempts", [0, MAX_ATTEMPTS - 1])
def test_key_that_can_be_made_is_tried(task, attempts):
    assert why_hopeless(task(attempts=attempts), at_desk(pin=True)) is None


def test_key_whose_attempts_are_spent_is_not_tried_again(task):
    error = why_hopeless(task(attempts=MAX_ATTEMPTS), at_desk(pin=True))
    assert isinstance(error, KeyIssueFailed)
    assert (error.cause.kind, error.permanent) == ("attempts_spent", True)


@pytest.mark.parametrize("ago", [timedelta(0), timedelta(hours=5)])
def test_key_whose_stay_is_over_has_expired(task, ago):
    over = task(ends=-ago)
    error = why_hopeless(over, at_desk(pin=True))
    assert isinstance(error, CredentialExpired)
    assert error.subject["keyCredentialId"] == over.entry.id


def test_key_for_rooms_without_a_lock_of_this_vendor_is_not_paired(task):
    error = why_hopeless(task(), at_desk(doors=(), pin=True))
    assert isinstance(error, DeviceNotPaired)
    assert error.permanent


def test_kind_that_the_adapter_does_not_offer_is_impossible(task):
    error = why_hopeless(task(), at_desk(mobile_key=True))
    assert (type(error), error.cause.kind, error.permanent) == (KeyIssueFailed, "kind_not_offered", True)


def test_key_that_would_come_to_a_quarantined_lock_is_not_tried(task):
    error = why_hopeless(task(), at_desk(quarantined={"lck_a"}, pin=True))
    assert (type(error), error.cause.kind, error.device_id) == (KeyIssueFailed, "lock_swapped", "lck_a")
    assert error.permanent
    assert why_hopeless(task(), at_desk(quarantined={"lck_b"}, pin=True)) is None


def test_card_is_tried_without_a_secret(task):
    assert why_hopeless(task(RFID_CARD), at_desk(card_encoding=True)) is None


def test_scope_adds_the_doors_that_know_such_keys_and_no_other_room_s(task):
    def device(number, able, **leads):
        usual = {"property_id": KABUL, "vendor": MOCK, "vendor_device": "1", "label": "A door"}
        id_ = LockDeviceId(f"lck_01KSAMP1E0000000000000010{number}")
        return LockDevice(**usual, id=id_, capabilities=LockCapabilities(**able), **{"rooms": (), **leads})

    own = device(1, {}, rooms=(ROOM,), floor="2")
    other_room = device(2, {"pin": True}, rooms=(RoomId("rmu_102"),), floor="2", areas=(Area.GYM,))
    gym, lift = device(3, {"pin": True}, areas=(Area.GYM,)), device(4, {"pin": True}, floor="2")
    old_gym, encoder = device(5, {}, areas=(Area.GYM,)), device(6, {"pin": True}, floor="2", encoder=True)
    core = replace(task().entry.credential.core, scope=AccessScope(floors=("2",), areas=(Area.GYM,)))
    devices = (own, other_room, gym, lift, old_gym, encoder)
    assert doors_for(core, core.rooms, devices) == (own, gym, lift)
    assert doors_for(replace(core, scope=NO_SCOPE), core.rooms, devices) == (own,)


def test_of_several_reasons_the_one_that_ends_everything_comes_first(task):
    error = why_hopeless(task(RFID_CARD, MAX_ATTEMPTS, timedelta(0)), at_desk(doors=()))
    assert error.cause.kind == "attempts_spent"
    assert isinstance(why_hopeless(task(RFID_CARD, ends=timedelta(0)), at_desk(doors=())), CredentialExpired)
