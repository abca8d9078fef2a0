"""The token bucket lets a burst through, then an even rate."""

from hypothesis import given
from hypothesis import strategies as st

from infra.local.tasks.bucket import Bucket


def taken(bucket, count, now=0.0):
    times = []
    for _ in range(count):
        now += bucket.wait(now)
        bucket.take(now)
        times.append(round(now, 6))
    return times


def test_a_full_bucket_gives_a_burst_and_then_an_even_rate():
    assert taken(Bucket(2.0, 3), 6) == [0.0, 0.0, 0.0, 0.5, 1.0, 1.5]


def test_a_pause_fills_the_bucket_no_further_than_its_size():
    bucket = Bucket(2.0, 3)
    taken(bucket, 3)
    assert taken(bucket, 4, now=1000.0) == [1000.0, 1000.0, 1000.0, 1000.5]


def test_a_held_bucket_gives_nothing_before_its_time():
    bucket = Bucket(2.0, 3)
    bucket.hold(7.0)
    bucket.hold(5.0)
    assert taken(bucket, 1) == [7.0]


@given(st.floats(0.01, 500), st.integers(1, 100), st.integers(1, 300))
def test_no_window_holds_more_than_its_rate_and_one_burst(rate, size, count):
    times = taken(Bucket(rate, size), count)
    for first in range(0, count, 7):
        for last in range(first, count, 11):
            assert last - first + 1 <= size + (times[last] - times[first]) * rate + 1
