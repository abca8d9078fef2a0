"""Locks' clocks: asked once in a while, believed for a while, and not of ever more locks."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.vendor_kit.health import MOST_SKEWS, SKEW_ASKED_AGAIN_AFTER, SKEW_KNOWN_FOR, Skews
from shared.vendor_kit.http import TimedOut

SKEW = timedelta(minutes=7)


class Clock:
    """A clock that only we move."""

    present = datetime(2026, 5, 1, tzinfo=UTC)

    def now(self):
        return self.present


class Asked:
    """A lock that may say what time it is, and counts how often it was asked."""

    def __init__(self, says=SKEW):
        self.says, self.times = says, 0

    async def __call__(self):
        self.times += 1
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


@pytest.fixture
def clock():
    return Clock()


async def test_a_clock_is_asked_once_in_a_while(clock):
    skews, lock = Skews(clock), Asked()
    assert [await skews.of("1", lock) for _ in range(3)] == [SKEW] * 3
    assert lock.times == 1
    clock.present += SKEW_KNOWN_FOR
    assert await skews.of("1", lock) == SKEW
    assert lock.times == 2


async def test_a_lock_that_does_not_say_is_asked_again_soon_and_costs_no_key(clock):
    skews, lock = Skews(clock), Asked(TimedOut("nothing"))
    assert await skews.of("1", lock) is None
    clock.present += SKEW_ASKED_AGAIN_AFTER
    lock.says = SKEW
    assert await skews.of("1", lock) == SKEW


async def test_what_is_known_is_told_where_nobody_may_ask(clock):
    skews = Skews(clock)
    assert await skews.of("1", None) is None
    await skews.of("1", Asked())
    assert await skews.of("1", None) == SKEW


async def test_no_more_locks_are_remembered_than_fit(clock):
    skews, first = Skews(clock), Asked()
    await skews.of("first", first)
    for number in range(MOST_SKEWS):
        await skews.of(str(number), Asked())
    assert len(skews._known) == MOST_SKEWS
    await skews.of("first", first)
    assert first.times == 2
