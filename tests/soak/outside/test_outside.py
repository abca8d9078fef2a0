"""A thousand bookings on bad days: the doors are as the bookings say, or somebody was told (issue 9)."""

import os

import pytest

from tests.soak.outside.stress import Stress

SEED = int(os.environ.get("KEYFLEET_STRESS_SEED", "20261119"))
"""Another one plays another day; a run that fails names its own."""

ROUNDS, BOOKINGS, RESTORED_AFTER = 12, 84, 4


@pytest.fixture
def stress(tmp_path):
    """A house and its producer."""
    stress = Stress(tmp_path, SEED)
    yield stress
    stress.close()
    print(dict(stress.counts), stress.notes)  # noqa: T201 - what it came to


@pytest.mark.stress
@pytest.mark.timeout(2400)
def test_a_thousand_bookings_and_a_restore_leave_the_doors_as_the_bookings_say(stress):
    for number in range(ROUNDS):
        if number == RESTORED_AFTER - 1:
            stress.backed_up()
        stress.round(BOOKINGS)
        if number == RESTORED_AFTER:
            stress.restored()
            assert stress.counts["strangers"]
    assert len(stress.producer.stays) >= 1000
    assert not stress.counts["never quiet"]
