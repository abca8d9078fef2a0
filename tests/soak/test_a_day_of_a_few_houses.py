"""A few properties' day is really played: every guest has a key, and every lock lets go of it."""

import pytest

from infra.capacity.profile import WORK, profile_of
from infra.capacity.region import OUTAGE
from infra.capacity.sample_day import played
from infra.capacity.town import STAYS, WORDS

A_MINUTE = 60


@pytest.mark.soak
def test_two_sizes_of_a_day_tell_what_one_stay_costs(tmp_path):
    one, two = (played(tmp_path / str(houses), houses) for houses in (1, 2))
    for day in (one, two):
        assert day.states == {"revoked": day.houses * STAYS}
        worked = [each for each in day.executions if each.workflow == WORK]
        assert len(worked) == 2 * day.houses * STAYS
        assert all(0 < each.ended - each.began < A_MINUTE for each in worked)
        assert day.tally.most_calls_a_minute() <= 100
    down = played(tmp_path / "down", 1, outage=(OUTAGE[0], sum(OUTAGE)))
    assert set(down.states) <= {"revoked", "failed"}
    profile = profile_of(one, two, down)
    assert profile["stories"]
    booked, _, left = (profile["an_event"][word] for word in WORDS)
    assert booked["executions of work_on_key"] == left["executions of work_on_key"] == 1
    assert (
        booked["writes to credentials"] == profile["an_event"][WORDS[0]]["calls of on-booking-confirmed"] * 4
    )
    assert profile["late"] < A_MINUTE
