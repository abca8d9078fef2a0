"""Long tests are begun first, by all workers, and none is lost."""

from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace

import pytest

from tests.support.dealing import dealt, seconds


@dataclass(frozen=True)
class Item:
    nodeid: str
    asked: float | None = None

    def get_closest_marker(self, name):
        return None if self.asked is None else SimpleNamespace(args=(self.asked,))


SHORT = [Item(f"tests/unit/test_{file}.py::test_{number}") for file in "ab" for number in range(40)]
FLEETS = [Item(f"tests/e2e/test_{file}.py::test_{number}") for file in "xyz" for number in range(3)]
HOURS = [Item(f"tests/soak/test_h.py::test_{number}", asked) for number, asked in enumerate((900, 0, 3600))]
ALL = [*SHORT[:40], *FLEETS, *SHORT[40:], *HOURS]


@pytest.mark.parametrize("hands", [1, 2, 3, 4, 7])
def test_every_test_is_dealt_once_and_short_ones_keep_their_order(hands):
    order = dealt(ALL, hands)
    assert sorted(each.nodeid for each in order) == sorted(each.nodeid for each in ALL)
    assert [each for each in order if each in SHORT] == SHORT


def test_each_worker_begins_with_its_share_of_the_long_ones():
    order, ends = dealt(ALL, 3), [len(ALL) * hand // 3 for hand in range(4)]
    hands = [order[first:end] for first, end in pairwise(ends)]
    assert [hand[0] for hand in hands] == [HOURS[1], HOURS[2], HOURS[0]]
    for hand, file in zip(hands, "xyz", strict=True):
        fleets = [each for each in hand if each in FLEETS]
        assert {each.nodeid.partition("::")[0] for each in fleets} == {f"tests/e2e/test_{file}.py"}
        assert hand[1:4] == fleets, "a module stays together, before what is short"


@pytest.mark.parametrize(
    ("item", "known"),
    [
        (HOURS[0], 900),
        (HOURS[1], float("inf")),
        (FLEETS[0], 120),
        (SHORT[0], 0),
        (Item("tests/e2e/a.py::b", 5), 5),
    ],
)
def test_what_a_test_asked_for_says_how_long_it_is_and_else_its_folder(item, known):
    assert seconds(item) == known
