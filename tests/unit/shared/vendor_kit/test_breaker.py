"""A breaker opens on a vendor that keeps failing, rests, probes once and closes."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.vendor_kit.breaker import Breaker, BreakerChange, BreakerPolicy, BreakerState, CircuitOpen

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
REST = BreakerPolicy().rest


def after(outcomes, breaker=None):
    """Return a breaker that saw these outcomes, and the changes on the way."""
    breaker, changes = breaker or Breaker(), []
    for failed in outcomes:
        breaker, change = breaker.noting(NOON, failed=failed)
        changes += [change] if change else []
    return breaker, changes


OPEN = after([True] * 20)[0]


def test_breaker_opens_when_half_of_enough_calls_failed():
    breaker, changes = after([False] * 11 + [True] * 11)
    assert breaker.state is BreakerState.OPEN
    assert changes == [
        BreakerChange(BreakerState.CLOSED, BreakerState.OPEN, "error_rate_threshold", 50.0, 22, NOON)
    ]


@pytest.mark.parametrize("outcomes", [[True] * 19, [False] * 51 + [True] * 49, [False, False, True] * 40])
def test_breaker_stays_closed_on_too_few_calls_or_failures(outcomes):
    breaker, changes = after(outcomes)
    assert (breaker.admitting(NOON), changes) == ((breaker, None), [])


def test_breaker_forgets_what_is_older_than_its_window():
    breaker, _ = after([False] * 300 + [True] * 49)
    assert (len(breaker.failed), breaker.error_rate_pct, breaker.state) == (100, 49.0, BreakerState.CLOSED)
    assert after([True], breaker)[0].state is BreakerState.OPEN


def test_open_breaker_lets_nothing_through_while_it_rests():
    with pytest.raises(CircuitOpen):
        OPEN.admitting(NOON + REST - timedelta(microseconds=1))


def test_rested_breaker_lets_one_probe_through():
    probing, change = OPEN.admitting(NOON + REST)
    assert (probing.state, change.before, change.after) == (
        BreakerState.HALF_OPEN,
        BreakerState.OPEN,
        BreakerState.HALF_OPEN,
    )
    with pytest.raises(CircuitOpen):
        probing.admitting(NOON + REST)


def test_probe_that_never_returns_is_followed_by_another():
    probing, _ = OPEN.admitting(NOON + REST)
    again, change = probing.admitting(NOON + 2 * REST)
    assert (again.state, change) == (BreakerState.HALF_OPEN, None)


def test_probe_that_succeeds_closes_and_forgets():
    closed, change = OPEN.admitting(NOON + REST)[0].noting(NOON + REST, failed=False)
    assert closed == Breaker()
    assert (change.after, change.reason) == (BreakerState.CLOSED, "probe_succeeded")


def test_probe_that_fails_rests_anew():
    opened, change = OPEN.admitting(NOON + REST)[0].noting(NOON + REST, failed=True)
    assert (change.after, change.reason) == (BreakerState.OPEN, "probe_failed")
    with pytest.raises(CircuitOpen):
        opened.admitting(NOON + 2 * REST - timedelta(seconds=1))


def test_late_outcomes_of_calls_made_before_it_opened_change_nothing():
    breaker, changes = after([True, False, True], OPEN)
    assert (breaker.state, changes) == (BreakerState.OPEN, [])
