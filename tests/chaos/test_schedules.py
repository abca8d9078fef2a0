"""Ten thousand schedules: whatever goes wrong, ledger, locks and event log agree when it is over.

A seed that fails is printed with the command that plays it again, line by line:

    python -m tests.chaos.small_world.play SEED [tiny|slow|ttlock|strict]
"""

import os
import subprocess
import sys

import pytest

from tests.chaos.small_world.play import VENDORS, play
from tests.chaos.small_world.weather import clear_sky

AT_ONCE = 100
TINY, TTLOCK = range(0, 9000, AT_ONCE), range(0, 1000, AT_ONCE)
FEW_AT_ONCE = 25
FEW = {"slow": range(0, 500, FEW_AT_ONCE), "strict": range(0, 300, FEW_AT_ONCE)}
"""The little vendor carries the bulk; the rest is played at the real adapter and TTLock's simulator, at one
that answers later, and at TTLock's with two processes that have one tight limit."""


@pytest.mark.parametrize(
    ("vendor", "first"),
    [
        pytest.param(vendor, first, marks=[pytest.mark.soak] if first else [])
        for vendor, seeds in (("ttlock", TTLOCK), ("tiny", TINY))
        for first in seeds
    ],
)
def test_a_hundred_schedules_end_in_agreement(vendor, first):
    played = (play(seed, vendor) for seed in range(first, first + AT_ONCE))
    assert [str(each) for each in played if each.problems] == []


@pytest.mark.parametrize("vendor", VENDORS)
def test_under_a_clear_sky_nothing_is_wrong_and_nothing_crashes(vendor):
    for seed in range(20):
        played = play(seed, vendor, clear_sky(seed))
        assert played.problems == []
        assert not [what for _, _, what in played.trace if "answers 500" in what]


@pytest.mark.parametrize(
    ("vendor", "first"),
    [
        pytest.param(vendor, first, marks=[pytest.mark.soak] if first else [])
        for vendor, seeds in FEW.items()
        for first in seeds
    ],
)
def test_schedules_at_a_vendor_of_its_own_kind_end_in_agreement(vendor, first):
    played = (play(seed, vendor) for seed in range(first, first + FEW_AT_ONCE))
    assert [str(each) for each in played if each.problems] == []


def test_there_are_ten_thousand_schedules():
    assert len([*TINY, *TTLOCK]) * AT_ONCE >= 10_000
    assert len(TTLOCK) * AT_ONCE >= 1_000


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_same_seed_gives_the_same_trace(vendor):
    for seed in range(5):
        first, second = play(seed, vendor), play(seed, vendor)
        assert first.trace == second.trace
        assert first.words == second.words


def test_different_seeds_give_different_traces():
    traces = [play(seed).trace for seed in range(5)]
    assert len({str(trace) for trace in traces}) == 5


def test_another_process_plays_a_seed_to_the_same_trace():
    command = [sys.executable, "-m", "tests.chaos.small_world.play", "11", "ttlock"]
    told = [
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": salt}, capture_output=True, check=True)
        for salt in ("1", "2")
    ]
    assert told[0].stdout == told[1].stdout
    assert b"on-booking-confirmed" in told[0].stdout
