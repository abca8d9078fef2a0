"""The power fails in each attempt at a key: our own deaths are no tries of its vendor, and it is made."""

import asyncio

import pytest

from shared.domain.plan import LEAST_TIME, MAX_ATTEMPTS
from tests.chaos.power_cut import CutAt, Street
from tests.support.verdict import Books, assert_one_active_key

A_MINUTE = 60


def made(books):
    """Return the attempts at the one key there is, as they are kept."""
    (entry,) = books.keys()
    return entry["credential"]["core"]["plan"]["made"]


def until_death(boundary, street, books):
    """Let the fleet die in one attempt after the other, as often as a vendor is asked at most, and more."""

    async def goes_on(house):
        if not books.keys():
            await house.publish(event="evt_in")
        await asyncio.sleep(A_MINUTE)

    for death in range(1, 2 * MAX_ATTEMPTS + 1):
        assert not street.live(goes_on, CutAt(boundary, 1))
        assert len(made(books)) == death


@pytest.mark.parametrize("boundary", ["before-vendor-call", "after-vendor-call"])
def test_a_key_whose_fleet_dies_in_one_attempt_after_the_other_is_made(tmp_path, boundary):
    street, books = Street(tmp_path), Books(tmp_path)

    async def judged(house):
        await asyncio.sleep(LEAST_TIME.total_seconds())
        assert_one_active_key(books, await house.steer("GET", "state"))

    until_death(boundary, street, books)
    assert street.live(judged)
    assert not any(each["problem"] for each in made(books))
