"""Ten thousand schedules: whatever goes wrong, ledger, locks and event log agree when it is over.

A seed that fails is printed with the command that plays it again, line by line:

    python -m tests.chaos.small_world.play SEED [tiny|slow|card|set|ttlock|strict]
"""

import os
import subprocess
import sys

import pytest

from tests.chaos.small_world.play import VENDORS, play
from tests.chaos.small_world.weather import clear_sky

AT_ONCE = 20
SCHEDULES = {"tiny": 7200, "ttlock": 1000, "slow": 500, "strict": 300, "card": 500, "set": 500}
"""The little vendor carries the bulk; the rest is played at the real adapter and TTLock's simulator, at one
that answers later, at TTLock's with two processes that have one tight limit, at one whose desk writes one
card for all doors, and at one where a new key ends those before it and a copy joins them."""
FEW_OR_MORE = [range(4), pytest.param(range(4, 20), marks=pytest.mark.soak)]


@pytest.mark.parametrize(
    ("vendor", "first"),
    [
        pytest.param(vendor, first, marks=[pytest.mark.soak] if first else [])
        for vendor, seeds in SCHEDULES.items()
        for first in range(0, seeds, AT_ONCE)
    ],
)
def test_schedules_end_in_agreement(vendor, first):
    played = (play(seed, vendor) for seed in range(first, first + AT_ONCE))
    assert [str(each) for each in played if each.problems] == []


@pytest.mark.parametrize("seeds", FEW_OR_MORE, ids=str)
@pytest.mark.parametrize("vendor", VENDORS)
def test_under_a_clear_sky_nothing_is_wrong_and_nothing_crashes(vendor, seeds):
    for seed in seeds:
        played = play(seed, vendor, clear_sky(seed))
        assert played.problems == []
        assert not [what for _, _, what in played.trace if "answers 500" in what]


def test_there_are_ten_thousand_schedules():
    assert sum(SCHEDULES.values()) >= 10_000
    assert all(seeds % AT_ONCE == 0 for seeds in SCHEDULES.values())
    assert SCHEDULES["ttlock"] >= 1_000
    assert set(SCHEDULES) == set(VENDORS)


@pytest.mark.parametrize("seeds", [range(1), pytest.param(range(1, 5), marks=pytest.mark.soak)], ids=str)
@pytest.mark.parametrize("vendor", VENDORS)
def test_the_same_seed_gives_the_same_trace(vendor, seeds):
    for seed in seeds:
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
