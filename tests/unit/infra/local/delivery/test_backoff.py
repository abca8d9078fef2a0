"""Waits stay within their bounds and grow as the platforms document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.ambient import SeededEntropy
from infra.local.delivery.backoff import Retry, jittered

seconds = st.floats(0.01, 600)


@given(seconds, seconds, st.integers(1, 5000), st.integers())
def test_a_jittered_wait_never_leaves_its_bounds(one, other, failures, seed):
    low, high = sorted((one, other))
    assert low <= jittered(low, high, failures, SeededEntropy(seed)) <= high


def test_a_jittered_wait_doubles_and_differs():
    waits = [[jittered(1, 64, n, SeededEntropy(seed)) for n in range(1, 8)] for seed in range(20)]
    for n, same_attempt in enumerate(zip(*waits, strict=True)):
        assert all(0.8 * 2**n <= wait <= 1.2 * 2**n for wait in same_attempt)
        assert len(set(same_attempt)) == 20


@pytest.mark.parametrize(
    ("retry", "waits"),
    [
        (Retry(min_backoff=10, max_backoff=300, max_doublings=3), [10, 20, 40, 80, 160, 240, 300, 300]),
        (Retry(min_backoff=1, max_backoff=100, max_doublings=0), [1, 2, 3, 4]),
        (Retry(min_backoff=5, max_backoff=5), [5, 5, 5]),
    ],
)
def test_waits_double_then_grow_evenly_then_stay(retry, waits):
    assert [retry.wait(failures) for failures in range(1, len(waits) + 1)] == waits


def test_a_wait_after_very_many_failures_is_the_longest():
    assert Retry(max_doublings=16).wait(10**9) == 3600.0


@pytest.mark.parametrize(
    ("retry", "attempts", "elapsed", "spent"),
    [
        (Retry(), 10**6, 10**9, False),
        (Retry(max_attempts=3), 2, 10**9, False),
        (Retry(max_attempts=3), 3, 0, True),
        (Retry(max_duration=60), 10**6, 59, False),
        (Retry(max_duration=60), 1, 60, True),
        (Retry(max_attempts=3, max_duration=60), 3, 59, False),
        (Retry(max_attempts=3, max_duration=60), 2, 60, False),
        (Retry(max_attempts=3, max_duration=60), 3, 60, True),
    ],
)
def test_a_task_is_spent_when_every_given_limit_is(retry, attempts, elapsed, spent):
    assert retry.spent(attempts, elapsed) is spent
