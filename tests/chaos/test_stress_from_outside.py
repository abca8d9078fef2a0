"""A short bad day from outside: real processes, kill -9, a bad line; tests/soak/outside plays long ones."""

import pytest

from tests.soak.outside.stress import Stress

SEED = 7


@pytest.fixture
def stress(tmp_path):
    """A house and its producer."""
    stress = Stress(tmp_path, SEED)
    yield stress
    stress.close()


def test_a_short_bad_day_leaves_the_doors_as_the_bookings_say(stress):
    stress.round(8)
    assert stress.counts["events"] >= 8
    assert not stress.counts["never quiet"]
