"""Who goes first: what shuts a door, the guest at one, the others by arrival; and nobody waits for ever."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from shared.vendor_kit.calm.urgency import (
    AGED,
    TURN_OF_THE_AGED,
    Hurry,
    Place,
    Urgency,
    first_of,
    hurrying,
    place_now,
)

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@dataclass(frozen=True)
class One:
    """Somebody in a line."""

    name: str
    place: Place


def one(name, urgency, arrives=None, waited=timedelta(0)):
    return One(name, Place.at(urgency, NOON - waited, None if arrives is None else NOON + arrives))


REVOKE = one("revoke", Urgency.REVOKE)
DOOR = one("at the door", Urgency.ISSUE, 15 * MINUTE)
SOON, LATER = one("tomorrow", Urgency.ISSUE, DAY), one("in a month", Urgency.ISSUE, 30 * DAY)
POLL = one("poll", Urgency.POLL)
OLD = one("old", Urgency.ISSUE, 300 * DAY, waited=AGED)


@pytest.mark.parametrize("gone", range(5))
def test_places_go_by_urgency_then_by_arrival(gone):
    order = [REVOKE, DOOR, SOON, LATER, POLL]
    assert first_of(reversed(order[gone:]), 1, NOON) is order[gone]


def test_of_those_who_shut_a_door_the_first_to_come_goes_first():
    earlier = one("earlier", Urgency.REVOKE, waited=MINUTE)
    assert first_of([REVOKE, earlier], 1, NOON) is earlier


def test_whoever_waited_too_long_has_each_fourth_turn():
    waiting = [LATER, SOON, OLD]
    whose = [first_of(waiting, turn, NOON).name for turn in range(1, 2 * TURN_OF_THE_AGED + 1)]
    assert whose == (["tomorrow"] * (TURN_OF_THE_AGED - 1) + ["old"]) * 2


@pytest.mark.parametrize("urgent", [REVOKE, DOOR], ids=["revoke", "door"])
def test_what_shuts_a_door_and_who_stands_at_one_wait_for_nobody_however_old(urgent):
    assert all(first_of([OLD, urgent], turn, NOON) is urgent for turn in range(9))


def test_a_line_without_anybody_has_no_first():
    assert first_of([], 4, NOON) is None


def test_a_key_whose_guest_may_stand_before_the_door_is_more_urgent_than_others():
    assert Place.at(Urgency.ISSUE, NOON, NOON - DAY).urgency is Urgency.DOOR
    assert Place.at(Urgency.ISSUE, NOON, NOON + 16 * MINUTE).urgency is Urgency.ISSUE
    assert Place.at(Urgency.POLL, NOON, NOON - DAY).urgency is Urgency.POLL


def test_a_call_is_as_urgent_as_the_work_it_is_made_for():
    with hurrying(Hurry(urgency=Urgency.REVOKE, since=NOON - DAY)):
        assert place_now(Urgency.POLL, NOON) == Place.at(Urgency.REVOKE, NOON - DAY)
        with hurrying(Hurry(arrives=NOON + DAY)):
            assert place_now(Urgency.ISSUE, NOON).urgency is Urgency.REVOKE
    assert place_now(Urgency.POLL, NOON).urgency is Urgency.POLL
