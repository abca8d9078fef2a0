"""When a next build does worse than the week before it: by more than a hundredth, and not by chance."""

import pytest

from shared.ledger.canary import Figures
from shared.usecases.canary.judge import BASELINE, STEPS, says_something, worse

BEFORE = Figures(
    placed=995, unplaced=5, removed=500, unremoved=0, calls=1500, errors=5, p95_ms=900, worst_p95_ms=1000
)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (Figures(placed=200, unplaced=3, calls=300, errors=3), None),
        (Figures(placed=197, unplaced=3, calls=300, errors=3), None),
        (Figures(placed=190, unplaced=4, calls=194, errors=4), "issue.success.rate"),
        (Figures(placed=1, unplaced=2, calls=3, errors=2), None),
        (Figures(unplaced=3, calls=3, errors=3), "issue.success.rate"),
        (Figures(placed=90, removed=97, unremoved=3, calls=400, errors=3), "revoke.success.rate"),
        (Figures(placed=90, calls=100, errors=4), "vendor.error.rate"),
        (Figures(placed=20, calls=20, p95_ms=1010), None),
        (Figures(placed=20, calls=20, p95_ms=1011), "issue.p95"),
        (Figures(placed=19, calls=19, p95_ms=9000), None),
    ],
)
def test_a_build_is_worse_by_more_than_a_point_and_three_calls(now, said):
    assert worse(now, BEFORE) == said


def test_a_hotel_without_a_week_before_is_measured_by_what_always_goes_well():
    assert worse(Figures(placed=97, unplaced=3, calls=100), Figures()) == "issue.success.rate"
    assert worse(Figures(placed=50, calls=50, p95_ms=60_000), Figures()) is None


def test_a_pilot_runs_for_seven_days_before_any_other_hotel():
    pilot = [step.lasts for step in STEPS if not step.everywhere]
    assert sum(pilot, start=BASELINE * 0) == BASELINE
    assert [step.everywhere for step in STEPS] == sorted(step.everywhere for step in STEPS)


def test_too_few_keys_say_nothing():
    assert [says_something(Figures(placed=count)) for count in (9, 10)] == [False, True]
