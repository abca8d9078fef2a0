"""A thousand bookings on bad days: the doors are as the bookings say, or somebody was told (issue 9)."""

import os

import pytest

from tests.soak.outside.stress import Stress

SEED = int(os.environ.get("KEYFLEET_STRESS_SEED", "20261119"))
"""Another one plays another day; a run that fails names its own."""


@pytest.fixture
def stress(tmp_path):
    """A house and its producer."""
    stress = Stress(tmp_path, SEED)
    yield stress
    stress.close()
    print(dict(stress.counts), stress.notes)  # noqa: T201 - what it came to


def test_a_short_bad_day_leaves_the_doors_as_the_bookings_say(stress):
    stress.round(12)
    assert stress.counts["told"] == 0
