"""Bookings on bad days, from outside: the doors are as the bookings say, or somebody was told (issue 9)."""

import os

import pytest

from tests.soak.outside.bad_line import KINDS
from tests.soak.outside.passing_days import PassingDays
from tests.soak.outside.stress import Stress

SEED = int(os.environ.get("KEYFLEET_STRESS_SEED", "20261119"))
"""Another one plays another day; a run that fails names its own."""

ROUNDS, BOOKINGS, RESTORED_AFTER = 12, 84, 4
FEW_ROUNDS, FEW_BOOKINGS, FEW_SEED = 3, 50, 11
HOURS, STEPS_AN_HOUR, FEW_HOURS = 48, 12, 6


@pytest.fixture
def stress(tmp_path):
    """Run a stress of a seed, and say what it came to."""
    begun = []

    def begin(kind, seed):
        begun.append(kind(tmp_path, seed))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()
        print({"seed": each.seed, **each.counts}, dict(each.faults), each.notes)  # noqa: T201 - what it came to


def bad_days(stress, rounds, bookings, restored_after):
    """Play rounds of bookings on a bad line, one of them on a backup that was put back."""
    for number in range(rounds):
        if number == restored_after - 1:
            stress.backed_up()
        stress.round(bookings)
        if number == restored_after:
            stress.restored()
            assert stress.counts["strangers"]
    assert not stress.counts["never quiet"]
    assert {*stress.faults} == {*KINDS}


def passing_days(days, hours):
    """Let hours pass while doors and people are asked, and then two more without any trouble."""
    days.pass_by(hours * STEPS_AN_HOUR)
    days.calm_down()
    assert days.faults


@pytest.mark.stress
@pytest.mark.timeout(3600)
def test_a_thousand_bookings_and_a_restore_leave_the_doors_as_the_bookings_say(stress):
    run = stress(Stress, SEED)
    bad_days(run, ROUNDS, BOOKINGS, RESTORED_AFTER)
    assert len(run.producer.stays) >= 1000


@pytest.mark.stress
@pytest.mark.timeout(3600)
def test_at_every_moment_of_days_of_trouble_the_doors_are_as_booked_or_people_are_told(stress):
    passing_days(stress(PassingDays, SEED), HOURS)


@pytest.mark.timeout(1200)
def test_bookings_and_a_restore_leave_the_doors_as_the_bookings_say(stress):
    bad_days(stress(Stress, FEW_SEED), FEW_ROUNDS, FEW_BOOKINGS, 1)


@pytest.mark.timeout(1200)
def test_at_every_moment_of_hours_of_trouble_the_doors_are_as_booked_or_people_are_told(stress):
    passing_days(stress(PassingDays, FEW_SEED), FEW_HOURS)
