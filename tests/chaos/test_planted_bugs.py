"""Mistakes that somebody could make in the core: the schedules find each of them, and soon."""

import pytest

from tests.chaos.small_world.planted_bugs import (
    AT_A_STRICT_VENDOR,
    BUGS,
    believe_a_removal_while_a_call_is_under_way,
    forget_a_cancellation_that_came_first,
    let_the_guest_keep_whatever_they_had,
    no_version_check,
    take_away_what_the_changed_stay_includes,
)
from tests.chaos.small_world.planted_cards import AT_A_CARD_DESK, AT_KEY_SETS
from tests.chaos.small_world.planted_shifts import (
    believe_whichever_start_came_last,
    give_keys_to_whoever_was_dismissed,
    leave_keys_with_a_shift_that_ended,
    never_look_at_a_master_key_again,
)
from tests.chaos.small_world.planted_wishes import AT_A_LONG_DESK
from tests.chaos.small_world.planted_words import hide_keys_that_failed
from tests.chaos.small_world.play import play

MOST_SEEDS = 100
FOUND_AT = {
    **dict.fromkeys(AT_A_LONG_DESK, ("slow",)),
    **dict.fromkeys(AT_A_STRICT_VENDOR, ("strict",)),
    **dict.fromkeys(AT_A_CARD_DESK, ("card",)),
    **dict.fromkeys(AT_KEY_SETS, ("set",)),
}


OF_THE_ENGINE = {
    "forget_a_wish_when_work_is_turned": "a wish lost at a turn",
    "forget_that_a_key_is_to_rest": "a rest forgotten",
    "tell_a_change_twice": "a double announcement",
    "count_calls_by_process": "a limit per process",
    "miss_a_step_from_an_older_version": "an upcaster missing",
    "never_begin_a_parked_execution_again": "a parked execution never begun again",
}
FOUND_LATE = {
    no_version_check: 1,
    believe_a_removal_while_a_call_is_under_way: 18,
    let_the_guest_keep_whatever_they_had: 37,
    forget_a_cancellation_that_came_first: 9,
    take_away_what_the_changed_stay_includes: 10,
    leave_keys_with_a_shift_that_ended: 17,
    hide_keys_that_failed: 17,
    give_keys_to_whoever_was_dismissed: 18,
    believe_whichever_start_came_last: 24,
    never_look_at_a_master_key_again: 36,
}
"""Those for the soak, by the seed that found each last: it is played first, then all others."""


@pytest.mark.parametrize(
    "bug",
    [
        pytest.param(bug, id=bug.__name__, marks=[pytest.mark.soak] if bug in FOUND_LATE else [])
        for bug in BUGS
    ],
)
def test_a_planted_bug_is_caught_within_a_hundred_seeds(bug, monkeypatch):
    bug(monkeypatch.setattr)
    vendors, known = FOUND_AT.get(bug, ("tiny", "ttlock")), FOUND_LATE.get(bug)
    seeds = sorted(range(MOST_SEEDS), key=lambda seed: seed != known)
    assert any(play(seed, vendor).problems for seed in seeds for vendor in vendors)


def test_there_are_the_first_twenty_one_and_six_of_the_engine():
    planted = {bug.__name__ for bug in BUGS}
    assert len(BUGS) == len(planted) >= 21 + len(OF_THE_ENGINE)
    assert OF_THE_ENGINE.keys() <= planted
