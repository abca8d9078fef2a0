"""Waits grow, differ from one another, and outlast five minutes of a broken vendor."""

from datetime import timedelta

import pytest

from infra.local.ambient import SeededEntropy
from shared.domain.plan import MAX_ATTEMPTS
from shared.ledger.delays import JITTER, MOST_TRIES, STARTED_WITHIN, STEP_LEASE, delay_after
from shared.ledger.grant_record import CALLS_LAST


class Drawn:
    """Chance that always falls at one end."""

    def __init__(self, end):
        self._end = end

    def uniform(self, low, high):
        return {"low": low, "high": high}[self._end]


@pytest.mark.parametrize(("tries", "seconds"), [(1, 4), (2, 12), (3, 36), (4, 108), (5, 324)])
def test_delay_grows_threefold_around_its_step(tries, seconds):
    shortest, longest = (delay_after(tries, Drawn(end)).total_seconds() for end in ("low", "high"))
    assert shortest == pytest.approx(seconds * JITTER[0])
    assert longest == pytest.approx(seconds * JITTER[1])


def test_delay_is_never_twice_the_same():
    entropy = SeededEntropy(1)
    assert len({delay_after(1, entropy) for _ in range(50)}) == 50


def test_delays_of_all_retries_outlast_five_minutes():
    assert sum((delay_after(n, Drawn("low")) for n in range(1, MOST_TRIES)), timedelta()) > timedelta(
        minutes=5
    )


def test_as_many_tries_to_take_back_as_to_issue():
    assert MOST_TRIES == MAX_ATTEMPTS


def test_somebody_looks_only_after_the_longest_call_is_over():
    assert STARTED_WITHIN < CALLS_LAST < STEP_LEASE
