"""One key, tried at the doors, and what must not become one: each act holds when it should only."""

import pytest

from infra.cli.demo import scenes_key as acts
from infra.cli.demo.doors import BOOKED, NEIGHBOUR
from infra.cli.polling import OutOfPatience
from shared.domain.secret import Secret

ISSUED = ("event", "published", "3. melmastoon.lock.credential.issued.v1 (evt_3)")
LETTER = {"field": "data.rooms[1]", "reason": "data.rooms[1]: no lock", "remedy": "map a lock"}
UNMAPPED, CANCELLED = "rsv_demo_unmapped", "rsv_demo_cancelled"


@pytest.mark.parametrize(
    ("keys", "events", "doors", "held"),
    [(1, 1, 3, True), (2, 1, 3, False), (1, 2, 3, False), (1, 1, 2, False)],
)
def test_one_key_has_one_grant_a_lock_and_one_event(stage, told, keys, events, doors, held):
    grants = [{"label": name, "state": "placed"} for name in BOOKED[:doors]]
    told.keys(*[told.key(grants=grants)] * keys)
    told.timeline(*[ISSUED] * events)
    assert acts.one_key(stage).held is held


def test_one_pin_is_one_at_each_lock_and_known_from_then_on(stage):
    (pin,) = stage.doors.doors[BOOKED[0]].pins
    stage.pin = Secret("")
    assert acts.one_pin(stage).held
    assert stage.pin == pin


@pytest.mark.parametrize(
    ("name", "pins", "pin"),
    [
        (BOOKED[0], 2, "48291357"),
        (BOOKED[0], 0, "48291357"),
        (NEIGHBOUR, 1, "48291357"),
        (BOOKED[1], 1, "75319284"),
    ],
)
def test_one_pin_notices_a_second_a_missing_a_foreign_and_a_different_one(stage, name, pins, pin):
    stage.doors.doors[name] = stage.doors.door(1, pins, pin)
    assert not acts.one_pin(stage).held


def test_one_pin_notices_that_a_lock_was_written_to_twice(stage):
    stage.doors.writes = 4
    assert not acts.one_pin(stage).held


@pytest.mark.parametrize(("act", "when"), [(acts.opens, "day"), (acts.hours, "early"), (acts.hours, "late")])
def test_doors_must_open_when_they_should_and_only_then(stage, act, when):
    assert act(stage).held
    stage.doors.reasons[when] = "open" if when != "day" else "expired"
    assert not act(stage).held


def test_a_neighbours_door_that_opens_is_noticed(stage):
    stage.doors.doors[NEIGHBOUR] = stage.doors.door(9, 1)
    assert not acts.opens(stage).held


def test_a_strangers_pin_that_opens_is_noticed(stage):
    assert acts.strangers(stage).held
    stage.doors.doors[BOOKED[0]] = stage.doors.door(1, 1, acts.another(stage.pin).reveal())
    assert not acts.strangers(stage).held


@pytest.mark.parametrize(
    ("letters", "keys", "record", "held"),
    [
        ([LETTER], 0, None, True),
        ([LETTER, LETTER], 0, None, False),
        ([{**LETTER, "field": "data"}], 0, None, False),
        ([{**LETTER, "remedy": ""}], 0, None, False),
        ([LETTER], 1, None, False),
        ([LETTER], 0, {"status": "confirmed", "credentials": []}, True),
        ([LETTER], 0, {"status": "confirmed", "credentials": ["key_1"]}, False),
    ],
)
def test_a_bad_booking_is_set_aside_whole_with_field_and_remedy(
    fleet, stage, told, letters, keys, record, held
):
    fleet.will("GET", "/dead-letters", {"messages": letters})
    told.keys(*[told.key()] * keys, reservation=UNMAPPED)
    told.document("reservations", UNMAPPED, record)
    assert acts.quarantine(stage).held is held


@pytest.mark.parametrize(
    ("status", "keys", "pins", "held"),
    [
        ("cancelled", 0, 0, True),
        ("confirmed", 0, 0, False),
        ("cancelled", 1, 0, False),
        ("cancelled", 0, 1, False),
    ],
)
def test_a_stay_cancelled_first_has_no_key_anywhere(stage, told, monkeypatch, status, keys, pins, held):
    heard = iter([[{}], [{}, {}]])
    monkeypatch.setattr(stage.control, "get", _growing(stage.control.get, status, heard))
    told.keys(*[told.key()] * keys, reservation=CANCELLED)
    stage.doors.doors[NEIGHBOUR] = stage.doors.door(9, pins)
    assert acts.never(stage).held is held


def test_a_confirmation_that_is_never_heard_is_waited_for(stage, told):
    told.document("reservations", CANCELLED, {"status": "cancelled", "heard": [{}]})
    with pytest.raises(OutOfPatience):
        acts.never(stage)


def _growing(get, status, heard):
    def answer(*path, **query):
        if path[:1] != ("documents",):
            return get(*path, **query)
        return {"document": {"status": status, "heard": next(heard)}}

    return answer
