"""Mistakes that somebody could make in the core: the schedules find each of them, and soon."""

import pytest

from tests.chaos.small_world.planted_bugs import AT_A_STRICT_VENDOR, BUGS
from tests.chaos.small_world.planted_wishes import AT_A_LONG_DESK
from tests.chaos.small_world.planted_words import hide_keys_that_failed
from tests.chaos.small_world.play import play

MOST_SEEDS = 100
FOUND_AT = {
    **dict.fromkeys(AT_A_LONG_DESK, ("slow",)),
    **dict.fromkeys(AT_A_STRICT_VENDOR, ("strict",)),
}


FOUND_LATE = (hide_keys_that_failed,)


@pytest.mark.parametrize(
    "bug",
    [
        pytest.param(bug, id=bug.__name__, marks=[pytest.mark.soak] if bug in FOUND_LATE else [])
        for bug in BUGS
    ],
)
def test_a_planted_bug_is_caught_within_a_hundred_seeds(bug, monkeypatch):
    bug(monkeypatch.setattr)
    vendors = FOUND_AT.get(bug, ("tiny", "ttlock"))
    assert any(play(seed, vendor).problems for seed in range(MOST_SEEDS) for vendor in vendors)


def test_there_are_at_least_eight_of_them():
    assert len({bug.__name__ for bug in BUGS}) >= 8
