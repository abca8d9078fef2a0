"""What is changed by value is what `dataclasses.replace` would make of it, checks and refusals included."""

import copy
import dataclasses
import inspect
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, FrozenInstanceError, InitVar, dataclass, field
from threading import Barrier

import pytest

from shared.domain.replacing import born_open, made, replace


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


@pytest.fixture(params=["the first", "a later one"])
def doors(request):
    """Return a kind that is born open, of which none was made yet, or some were."""

    @born_open
    @dataclass(frozen=True, slots=True)
    class Door:
        number: int
        rooms: tuple[str, ...] = ()
        notes: dict[str, int] = field(default_factory=dict, compare=False)
        _: KW_ONLY
        floor: int = 1

        def __post_init__(self):
            if self.floor > 9:
                raise ValueError("higher than the house")

    if request.param == "a later one":
        Door(1)
        Door(2)
    return Door


def test_a_record_born_open_is_made_as_ever_by_place_and_by_name_checked_and_frozen(doors):
    door = doors(7, ("204",), floor=2)
    assert (type(door), door.number, door.rooms, door.notes, door.floor) == (doors, 7, ("204",), {}, 2)
    assert door == doors(rooms=("204",), number=7, floor=2, notes={"a": 1})
    assert hash(door) == hash(doors(7, ("204",), floor=2))
    assert doors(7).notes is not doors(7).notes
    assert repr(doors(1)).endswith("Door(number=1, rooms=(), notes={}, floor=1)")
    for change in (lambda: setattr(door, "number", 8), lambda: delattr(door, "number")):
        with pytest.raises(FrozenInstanceError):
            change()
    with pytest.raises(ValueError, match="higher"):
        doors(7, floor=10)


@pytest.mark.parametrize(
    ("places", "names"), [((), {}), ((1, (), {}, 2), {}), ((1,), {"number": 1}), ((1,), {"wall": 1})]
)
def test_a_record_born_open_refuses_what_its_kind_is_not_given(doors, places, names):
    with pytest.raises(TypeError, match="__init__"):
        doors(*places, **names)


def test_a_record_born_open_is_changed_made_copied_and_described_like_any_other(doors):
    door = doors(7, floor=2)
    assert replace(door, number=8) == dataclasses.replace(door, number=8) == doors(8, floor=2)
    assert made(doors, ["floor", "number", "rooms", "notes"])(2, 7, (), {}) == door
    for copied in (copy.copy(door), copy.deepcopy(door)):
        assert (type(copied), copied) == (doors, door)
        with pytest.raises(FrozenInstanceError):
            copied.number = 8
    assert list(inspect.signature(doors).parameters) == ["number", "rooms", "notes", "floor"]


def test_nothing_is_derived_from_a_kind_that_is_born_open(doors):
    with pytest.raises(TypeError, match="derived"):
        type("Gate", (doors,), {})


def test_a_kind_born_open_is_one_whoever_makes_the_first_of_it(doors):
    together = Barrier(8)

    def make(number):
        together.wait()
        return replace(doors(number), floor=number)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(make, range(8)))
    assert found == [doors(number, floor=number) for number in range(8)]
    assert {type(each) for each in found} == {doors}


def test_a_kind_that_is_made_of_more_than_its_slots_is_not_born_open():
    kind = born_open(dataclass(frozen=True)(type("Plain", (), {"__annotations__": {"a": int, "b": int}})))
    with pytest.raises(AssertionError, match="more than its slots"):
        kind(1, 2)
