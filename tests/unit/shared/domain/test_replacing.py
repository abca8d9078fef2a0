"""What is changed by value is what `dataclasses.replace` would make of it, checks and refusals included."""

from dataclasses import FrozenInstanceError, InitVar, dataclass, field

import pytest

from shared.domain.replacing import made, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    start: int = 0
    end: int = 9

    def __post_init__(self):
        if self.end < self.start:
            raise ValueError("ends before it starts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay(Window):
    room: str = "204"


@dataclass(frozen=True, slots=True)
class Row:
    body: str
    size: int = field(init=False)
    known: InitVar[int | None] = None

    def __post_init__(self, known):
        object.__setattr__(self, "size", known or len(self.body))


@dataclass(frozen=True)
class Plain:
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Named:
    made: int
    kind: int
    new: int
    twin: int
    record: int = 5
    changes: int = 6


def test_what_is_named_is_changed_and_the_rest_is_as_it_was():
    stay = Stay(start=3, end=5, room="101")
    changed = replace(stay, end=7)
    assert (changed, stay) == (Stay(start=3, end=7, room="101"), Stay(start=3, end=5, room="101"))
    assert type(changed) is Stay
    assert hash(changed) == hash(Stay(start=3, end=7, room="101"))


def test_what_is_made_so_is_checked_and_frozen():
    with pytest.raises(ValueError, match="ends before"):
        replace(Stay(), start=10)
    with pytest.raises(FrozenInstanceError):
        replace(Stay(), start=1).start = 2


def test_a_name_that_is_no_field_is_refused():
    with pytest.raises(TypeError, match="door"):
        replace(Stay(), door=1)


def test_a_kind_that_is_made_of_more_than_its_slots_is_made_anew():
    assert replace(Row("abc"), body="abcde", known=None).size == 5
    assert replace(Plain(1, 2), second=3) == Plain(1, 3)
    with pytest.raises(ValueError, match="size"):
        replace(Row("abc"), size=1)


def test_a_record_is_made_of_all_its_fields_checked_and_frozen():
    make = made(Stay, ["room", "start", "end"])
    stay = make("101", 3, 5)
    assert stay == Stay(start=3, end=5, room="101")
    assert type(stay) is Stay
    with pytest.raises(FrozenInstanceError):
        stay.start = 2
    with pytest.raises(FrozenInstanceError):
        del stay.start
    with pytest.raises(ValueError, match="ends before"):
        make("101", 10, 5)
    with pytest.raises(TypeError, match="end"):
        make("101", 3)


def test_a_kind_that_is_made_of_more_than_its_slots_is_made_by_itself():
    assert made(Row, ["body"])("abc") == Row("abc")
    assert made(Plain, ["second", "first"])(2, 1) == Plain(1, 2)


def test_fields_may_have_any_name():
    named = Named(1, 2, 3, 4)
    names = ["changes", "made", "kind", "new", "twin", "record"]
    assert made(Named, names)(6, 1, 2, 3, 4, 5) == named
    assert replace(named, made=7, changes=8) == Named(7, 2, 3, 4, 5, 8)


def test_a_record_with_another_class_beneath_it_is_changed_as_itself():
    assert replace(Window(start=1), end=3) == Window(start=1, end=3)
    assert type(replace(Window(start=1), end=3)) is Window
