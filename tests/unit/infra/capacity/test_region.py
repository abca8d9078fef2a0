"""A region's day: as many events as it has guests, no more at once than began, and the limits beside it."""

from dataclasses import asdict
from random import Random

import pytest

from infra.capacity import region
from infra.capacity.loads import linear, loads_of, operations
from infra.capacity.profile import kept
from infra.capacity.region import ARRIVALS, PROPERTIES, Day, a_day, swept
from infra.capacity.town import SHARES, STAYS
from infra.codegen.fleet_plan import fleet_plan

PLAN, PROFILE = fleet_plan(), kept()
SMALL = 200
ROUNDS = (" of compare-locks", " of listen-due")
KEPT = Day(**PROFILE["day"])
AS_LARGE_AS_THE_STAYS = 0.1
TIGHT = {
    "executions begun in the busiest minute of that hour",
    "writes to one document in its busiest minute",
    "calls of one application in its busiest minute",
}
"""What does not hold at this size, or only just: the page of capacity says what to do about each."""


@pytest.fixture(scope="module")
def small():
    return a_day(PROFILE, SMALL)


def test_each_guest_books_comes_and_leaves_by_day(small):
    assert small.events == 3 * SMALL * STAYS
    assert small.executions == 2 * SMALL * STAYS
    assert all(sum(shares) in range(95, 106) for shares in SHARES)


def test_the_same_seed_is_the_same_day(small):
    assert a_day(PROFILE, SMALL) == small
    assert a_day(PROFILE, SMALL, seed=1) != small


def test_fewer_live_at_once_than_began_and_more_where_a_vendor_is_down(small):
    assert 0 < small.at_once < small.at_once_in_outage < small.executions
    assert small.owed < small.executions


def test_a_region_as_large_as_two_does_twice_as_much(small):
    twice = a_day(PROFILE, 2 * SMALL)
    for what, each in small.operations.items():
        assert twice.operations[what] == pytest.approx(2 * each)
    assert twice.begun_a_minute == pytest.approx(2 * small.begun_a_minute, rel=0.35)


def test_what_was_really_played_grew_as_its_stays_did():
    few, many = PROFILE["houses"]
    assert many == 2 * few
    assert PROFILE["states"] == [{"revoked": few * STAYS}, {"revoked": many * STAYS}]
    for what, _, _, by in linear(PROFILE):
        if what not in {"reads", "calls of vendors", "writes to reservations"}:
            assert by == pytest.approx(1, abs=AS_LARGE_AS_THE_STAYS), what


def test_what_is_due_at_one_moment_waits_for_its_turn():
    profile = {"tending": 0.01}
    assert swept(profile, {0: 1}, 100) == pytest.approx(100 * STAYS * 0.01)
    assert swept(profile, {0: 1, 3600: 1}, 100) == pytest.approx(50 * STAYS * 0.01)
    assert swept(profile, ARRIVALS, 100) < swept(profile, {0: 1}, 100)


def test_what_comes_near_a_limit_is_known_and_nothing_else():
    short = {each.what for each in loads_of(PROFILE, KEPT, PLAN) if each.headroom < 2}
    assert short == TIGHT


def test_twice_as_many_as_sleep_through_an_outage_would_have_room():
    (asleep,) = [each for each in loads_of(PROFILE, KEPT, PLAN) if "a vendor down" in each.what]
    assert asleep.headroom > 2


def test_who_waits_out_an_outage_is_begun_again_at_the_sweeper_s_pace_and_not_after_it(monkeypatch):
    monkeypatch.setattr(region, "LINE_A_MINUTE", 6)
    first, long = region.OUTAGE
    profile = {"seconds": [5.0], "stories": [[(0.0, 60.0), (100.0, 110.0)]]}
    well = [(float(first), first + 5.0)] * 3 + [(first + long - 50.0, first + long - 45.0)]
    spans, again = region._troubled(profile, well, Random(0))
    assert again == [first + 100.0, first + 110.0, first + 120.0]
    assert spans[:4] == [(began, began + 60.0) for began, _ in well]


def test_rounds_of_a_whole_region_hold_in_their_hour_their_calls_and_an_adapter():
    rounds = [each for each in loads_of(PROFILE, KEPT, PLAN) if each.what.endswith(ROUNDS)]
    assert len(rounds) == 3 * len(ROUNDS)
    assert all(each.headroom > 2 for each in rounds)
    both = [each for each in rounds if each.what.startswith("requests at once in an adapter")]
    assert sum(each.load for each in both) < both[0].limit


def test_every_operation_has_a_day_and_a_second():
    assert all(a_day > a_second > 0 for _, a_day, a_second in operations(KEPT))


@pytest.mark.soak
def test_the_kept_day_is_the_one_that_is_played():
    assert asdict(a_day(PROFILE, PROPERTIES)) == PROFILE["day"]
