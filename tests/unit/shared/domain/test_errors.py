"""Bad input and illegal transitions: what they say."""

import pickle

import pytest

from shared.domain.errors import DomainError, IllegalTransition, InvalidId, InvalidInput


def test_invalid_input_reads_field_problem_remedy():
    error = InvalidInput("data.window", "it ends before it starts", "Give an end after the start")

    assert str(error) == "data.window: it ends before it starts. Give an end after the start"


def test_invalid_input_is_a_value_error_and_a_domain_error():
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(InvalidInput, DomainError)


def test_invalid_input_can_be_moved_to_the_path_it_was_found_at():
    error = InvalidId("roomId", "malformed", "Mend it").within("core.rooms[1]")

    assert type(error) is InvalidId
    assert error.field == "core.rooms[1].roomId"
    assert error.within("") is error


@pytest.mark.parametrize(
    "error", [InvalidInput("a", "b", "c"), IllegalTransition("revoked", "Suspend", ["Revoke"])]
)
def test_errors_survive_pickling(error):
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_illegal_transition_names_state_command_and_what_is_allowed():
    error = IllegalTransition("active", "Accept", ["Amend", "Revoke"])

    assert str(error) == "Accept is not possible in state active, which takes: Amend, Revoke"


def test_illegal_transition_from_a_final_state_says_that_it_is_final():
    assert str(IllegalTransition("failed", "Accept", [])).endswith("no command, it is final")
