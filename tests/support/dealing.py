"""Which worker begins with which tests: the long ones first, some to each, so that none is left for the end.

xdist gives each worker a run of tests as long as the others', and lets who is done take from the end of
another's. So each run begins with its share of what takes long.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, Protocol, TypeVar

import pytest

LONG: Final[Mapping[str, float]] = {
    "soak": 600,
    "terraform": 300,
    "e2e": 120,
    "browser": 90,
    "edge": 60,
    "chaos": 30,
}
"""Folders whose tests take long, with how long about, in seconds; the order is what counts."""
SHARING: Final = ("e2e", "browser")
"""Folders where the tests of a module share a fleet, and so a worker."""
FOR_EVER: Final = float("inf")


class Dealer:
    """The plugin that deals out the tests of a run, once it is known which of them it has."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the tests in order; where one process runs them all, theirs is as good as any."""
        hands = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        if hands > 1:
            items[:] = dealt(items, hands)


class Item(Protocol):
    """What is asked of a test."""

    nodeid: str

    def get_closest_marker(self, name: str) -> Any:
        """Return its nearest mark of a name."""


T = TypeVar("T", bound=Item)


def seconds(item: Item) -> float:
    """Return how long a test is known to take: what it asked for, or what its folder's tests do."""
    mark = item.get_closest_marker("timeout")
    if mark is not None:
        return float(mark.args[0]) or FOR_EVER
    return LONG.get(item.nodeid.split("/")[1], 0)


def dealt(items: Sequence[T], hands: int) -> list[T]:
    """Return the tests in the order in which equal runs of them go to so many workers.

    Those that share a fleet stay together. The order of what is not long stays as it was.
    """
    groups = sorted(_groups(items), key=lambda group: -seconds(group[0]))
    long = [group for group in groups if seconds(group[0])]
    rest = [item for group in groups[len(long) :] for item in group]
    order: list[T] = []
    for hand in range(hands):
        order += [item for group in long[hand::hands] for item in group]
        end = len(items) * (hand + 1) // hands
        fill = max(0, end - len(order))
        order += rest[:fill]
        del rest[:fill]
    return order


def _groups(items: Sequence[T]) -> Iterable[list[T]]:
    def together(item: Item) -> str:
        shares = item.nodeid.split("/")[1] in SHARING and item.get_closest_marker("timeout") is None
        return item.nodeid.partition("::")[0] if shares else item.nodeid

    return [list(group) for _, group in groupby(items, key=together)]
