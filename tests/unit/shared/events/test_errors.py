"""How problems of an event are worded, and read again where only their words were kept."""

import pytest

from shared.events.errors import FieldProblem, InvalidEvent

ROOMS = FieldProblem("data.rooms", "field required", "Add the field")
TIME = FieldProblem("time", "the time has no zone", "Give the time in UTC")


def test_every_problem_of_an_event_has_a_line_of_its_own():
    said = str(InvalidEvent([ROOMS, TIME])).split("\n")
    assert said == [
        "data.rooms: field required. Add the field",
        "time: the time has no zone. Give the time in UTC",
    ]
    assert [FieldProblem.read(line) for line in said] == [ROOMS, TIME]


@pytest.mark.parametrize(
    "text", ["", "10 attempts failed", "data.rooms: field requ", "no such: thing. at all"]
)
def test_other_words_are_no_problem_of_a_field(text):
    assert FieldProblem.read(text) is None


def test_a_problem_is_described_by_field():
    described = {"field": "data.rooms", "problem": "field required", "remedy": "Add the field"}
    assert ROOMS.described() == described
