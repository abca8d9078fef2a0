"""Who waits out a vendor's trouble is begun again in turn: no faster than a cell takes, and all of them."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.kinds import VendorCode
from shared.keywork.trouble_line import A_SECOND, A_SWEEP, LONGEST_LINE, WATCHERS, TroubleLine
from shared.ledger.delays import SHORT_TROUBLE, WATCHED_FOR
from shared.ledger.key_record import Saga, Work
from tests.support.ledger_books import CLAIM

NOW = datetime(2026, 3, 1, 11, 0, tzinfo=UTC)
VENDOR, OTHER = VendorCode("ttlock"), VendorCode("mock")


def waiting(kind=Work.SETTLE, **more):
    return Saga(kind=kind, claim=CLAIM, parked=True, rests_until=NOW, **more)


def begun_at_once(line, kind=Work.SETTLE, vendor=VENDOR, many=20_000, now=NOW):
    return sum(line.later(waiting(kind), vendor, now) is None for _ in range(many))


@pytest.mark.parametrize("kind", Work)
def test_no_more_are_begun_in_a_minute_than_their_pace_and_each_other_has_a_place(kind):
    line, a_minute = TroubleLine(), A_SWEEP.total_seconds() * A_SECOND[kind]
    assert begun_at_once(line, kind) == pytest.approx(a_minute, abs=1)
    first, second = (line.later(waiting(kind), VENDOR, NOW) for _ in range(2))
    assert NOW + A_SWEEP < first < second


def test_doors_to_be_closed_and_other_vendors_wait_in_lines_of_their_own():
    line = TroubleLine()
    begun_at_once(line, Work.ISSUE)
    assert line.later(waiting(Work.ISSUE), VENDOR, NOW) is not None
    assert line.later(waiting(Work.SETTLE), VENDOR, NOW) is None
    assert line.later(waiting(Work.ISSUE), OTHER, NOW) is None


def test_who_has_a_place_or_waits_for_no_vendor_is_begun_when_it_is_due():
    line = TroubleLine()
    begun_at_once(line)
    lost = Saga(kind=Work.SETTLE, claim=CLAIM, rests_until=NOW)
    in_hand = Saga(kind=Work.SETTLE, claim=CLAIM, parked=True)
    for saga in (waiting(placed=True), lost, in_hand):
        assert line.later(saga, VENDOR, NOW) is None


def test_places_are_free_again_once_their_time_has_come():
    line = TroubleLine()
    begun_at_once(line, many=3000)
    later = NOW + timedelta(minutes=10)
    assert line.later(waiting(), VENDOR, later) is None


def test_a_clock_that_was_set_back_sends_nobody_away_for_good():
    line = TroubleLine()
    begun_at_once(line, now=NOW + timedelta(days=30))
    assert line.later(waiting(), VENDOR, NOW) == NOW + LONGEST_LINE


def test_some_watch_and_all_others_park_at_once():
    line = TroubleLine()
    told = [line.watched(waiting(), VENDOR, NOW) for _ in range(WATCHERS + 50)]
    assert [saga.rests_until for saga in told] == [NOW + WATCHED_FOR] * WATCHERS + [NOW] * 50
    assert line.watched(waiting(), OTHER, NOW).rests_until == NOW + WATCHED_FOR
    assert line.watched(waiting(), VENDOR, NOW + WATCHED_FOR).rests_until == NOW + 2 * WATCHED_FOR


def test_who_waits_out_no_trouble_does_not_watch():
    saga = Saga(kind=Work.ISSUE, claim=CLAIM, parked=True)
    assert TroubleLine().watched(saga, VENDOR, NOW) is saga


def test_the_first_failure_counts_and_our_own_line_is_no_trouble():
    saga = Saga(kind=Work.SETTLE, claim=CLAIM).asked_in_vain(NOW)
    assert saga.asked_in_vain(NOW + timedelta(minutes=5)) is saga
    assert saga.may_rest(NOW + SHORT_TROUBLE)
    assert not saga.may_rest(NOW + SHORT_TROUBLE + timedelta(seconds=1))
    assert saga.in_our_line().may_rest(NOW + timedelta(days=1))


def test_who_is_begun_again_has_no_place_any_more_and_is_in_trouble_still():
    again = waiting(placed=True, execution="run-1").next_generation()
    assert (again.placed, again.parked, again.rests_until) == (False, False, NOW)
    assert again.switched_to(Work.SETTLE).rests_until is None
