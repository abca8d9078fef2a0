"""One artifact for all its locks is asked for at each of them, once it is to open one more."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.grant_lifecycle import Place, Rest
from shared.domain.kinds import KeyCredentialKind
from shared.keywork.desired import Act, act_for, asked_now, whole
from shared.ledger.grant_record import CALLS_LAST
from shared.ledger.job_in_hand import JobInHand
from shared.ledger.key_at_lock import KeyAtLockRecord
from shared.ports.lock import InHand
from tests.support.ledger_books import DOOR
from tests.unit.shared.keywork.test_next_vendor import OTHER_DOOR, wanted

KINDS = frozenset(KeyCredentialKind)


def standing_and_missing(books):
    """Return the grants of a key that stands at one door, and is to open another."""
    entry, now = wanted(books), books.clock.now()
    here = books.kept(entry, DOOR).applied(Place(at=now))
    window = entry.credential.core.window
    at_lock = KeyAtLockRecord(window.start, window.end)
    return replace(here, standing=at_lock), books.kept(entry, OTHER_DOOR)


def test_a_card_that_is_to_open_another_door_is_asked_for_at_all_its_doors(books):
    assert [act_for(each) for each in whole(standing_and_missing(books), KINDS)] == [Act.PLACE, Act.PLACE]


def test_a_code_that_is_to_open_another_door_is_asked_for_at_that_door_alone(books):
    grants = standing_and_missing(books)
    assert whole(grants, frozenset()) == grants


def test_what_is_in_hand_is_waited_for_before_all_doors_are_asked_again(books):
    here, missing = standing_and_missing(books)
    now = books.clock.now()
    waits = replace(missing, in_hand=JobInHand("job-1", Act.PLACE, now, now + CALLS_LAST))
    assert whole((here, waits), KINDS) == (here, waits)


def test_what_is_in_hand_is_for_the_wish_that_was_known_though_the_clock_of_who_asked_is_behind(books):
    here, missing = standing_and_missing(books)
    now = books.clock.now()
    wished = replace(missing, wished_at=now + timedelta(seconds=3))
    waits = wished.holding(InHand("job-1", now + CALLS_LAST), Act.PLACE, now)
    assert whole((here, waits), KINDS) == (here, waits)


def resting_and_missing(books):
    """Return the grants of a key that rests at one door, and is missing at another."""
    here, missing = standing_and_missing(books)
    at = books.clock.now()
    return replace(here.applied(Rest(at=at)), standing=None), missing


def test_a_card_that_is_missing_at_a_door_is_made_for_it_once_it_is_awake_at_the_others(books):
    grants = resting_and_missing(books)
    assert whole(grants, KINDS) == grants
    assert [act for _, act in asked_now(grants, KINDS)] == [Act.WAKE]
    assert [act for _, act in asked_now(grants, ())] == [Act.WAKE, Act.PLACE]


@pytest.mark.parametrize("answer", ["timeout", "gateway_offline"])
def test_a_card_that_a_door_would_not_wake_is_made_anew_for_all_of_them(books, answer):
    (here, missing), at = resting_and_missing(books), books.clock.now()
    refused = here.calling(at, at, Act.WAKE).answered(answer, at)
    known = whole((refused, missing), KINDS)
    assert [act for _, act in asked_now(known, KINDS)] == [Act.PLACE, Act.PLACE]
    assert [each.standing for each in known] == [None, None]
    assert [act for _, act in asked_now(whole((refused,), KINDS), KINDS)] == [Act.WAKE]
