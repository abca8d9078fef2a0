"""The whole table, held against a copy that was written by hand."""

from itertools import product
from typing import get_args

import pytest

from shared.domain.commands import Command
from shared.domain.documents import to_document
from shared.domain.errors import IllegalTransition
from shared.domain.lifecycle import TABLE, is_final, name_of, next_state
from shared.domain.states import Revoked, State
from shared.domain.transitions import CHANGES

STATES = get_args(State)
COMMANDS = get_args(Command)
PAIRS = list(product(STATES, COMMANDS))
EXPECTED = {
    "Requested Accept": "Pending",
    "Requested Fail": "Failed",
    "Pending Provision": "Active",
    "Pending Fail": "Failed",
    "Active Amend": "Active",
    "Active HandOver": "Active",
    "Active Suspend": "Suspended",
    "Active Revoke": "Revoked",
    "Suspended Unsuspend": "Active",
    "Suspended Revoke": "Revoked",
    "Revoked Revoke": "Revoked",
}
NEVER = [pair for pair in PAIRS if f"{pair[0].__name__} {pair[1].__name__}" not in EXPECTED]


def test_the_pairs_are_all_six_states_by_all_eight_commands():
    assert len(PAIRS) == 48
    assert len(NEVER) == 48 - len(EXPECTED)


@pytest.mark.parametrize(("state", "command"), PAIRS)
def test_next_state_is_what_the_specification_says_or_a_refusal(state, command):
    expected = EXPECTED.get(f"{state.__name__} {command.__name__}")

    if expected is None:
        with pytest.raises(IllegalTransition):
            next_state(state, command)
    else:
        assert next_state(state, command).__name__ == expected


@pytest.mark.parametrize(("state", "command"), [pair for pair in PAIRS if pair not in NEVER])
def test_applying_a_command_reaches_the_state_the_table_names(key_in, commands, state, command):
    key, _ = key_in(state).apply(commands[command])

    assert type(key.state).__name__ == EXPECTED[f"{state.__name__} {command.__name__}"]


@pytest.mark.parametrize(("state", "command"), NEVER)
def test_a_refused_command_changes_nothing_and_names_what_would_be_taken(key_in, commands, state, command):
    key = key_in(state)
    before = to_document(key)

    with pytest.raises(IllegalTransition) as refusal:
        key.apply(commands[command])

    assert to_document(key) == before
    taken = [pair.split()[1] for pair in EXPECTED if pair.split()[0] == state.__name__]
    assert list(refusal.value.allowed) == taken
    assert refusal.value.state == name_of(state)
    assert refusal.value.command == command.__name__


def test_every_state_has_a_row_and_every_command_an_effect():
    assert set(TABLE) == set(STATES)
    assert set(CHANGES) == set(COMMANDS)


def test_only_revoked_and_failed_are_final():
    assert [state.__name__ for state in STATES if is_final(state)] == ["Revoked", "Failed"]


def test_the_only_command_a_final_state_takes_is_a_repeated_revoke(key_in, commands):
    key = key_in(Revoked)

    again, facts = key.apply(commands[next(iter(TABLE[Revoked]))])

    assert again is key
    assert facts == ()


def test_no_road_skips_pending():
    def reachable_without_pending(state):
        onward = {target for target in TABLE[state].values() if name_of(target) != "pending"}
        return onward.union(*(reachable_without_pending(each) for each in onward - {state}))

    start = next(state for state in STATES if name_of(state) == "requested")
    assert {name_of(state) for state in reachable_without_pending(start)} == {"failed"}
