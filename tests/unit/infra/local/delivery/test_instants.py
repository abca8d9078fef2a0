"""Instants are stored exactly and sent as Google writes them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.delivery.instants import instant, micros, rfc3339, set_back


@given(st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_an_instant_is_stored_to_the_microsecond(when):
    assert instant(micros(when)) == when


def test_an_instant_is_sent_in_utc_with_milliseconds():
    kabul = timezone(timedelta(hours=4, minutes=30))
    when = datetime(2026, 3, 1, 13, 30, 0, 7_999, tzinfo=kabul)
    assert rfc3339(micros(when)) == "2026-03-01T09:00:00.007Z"


@pytest.mark.parametrize(("then", "expected"), [(0, False), (60, False), (60.000001, True), (3600, True)])
def test_only_more_than_a_minute_tells_that_a_clock_was_set_back(then, expected):
    assert set_back(int(1e9 + then * 1e6), int(1e9)) is expected
