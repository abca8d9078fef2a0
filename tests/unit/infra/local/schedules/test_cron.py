"""Ticks in a zone: forwards and backwards agree, also when clocks change."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.local.delivery.refusal import Check
from infra.local.schedules.cron import Cron

EXPRESSIONS = ("*/15 * * * *", "30 2 * * *", "0 */6 * * *", "5 1-3 * * MON-FRI", "0 0 1 JAN *", "30 * * * *")
ZONES = ("UTC", "Asia/Kabul", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe")


def at(*fields):
    return datetime(2026, *fields, tzinfo=UTC)


def cron(expression, zone="UTC"):
    return Cron(expression, zone, Check("schedule 'sweep'"))


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(EXPRESSIONS),
    st.sampled_from(ZONES),
    st.datetimes(datetime(2025, 12, 1), datetime(2027, 1, 31), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_the_next_tick_is_later_and_the_last_is_not(expression, zone, now):
    ticks = cron(expression, zone)
    last, following = ticks.last_until(now), ticks.next_after(now)
    assert last <= now < following
    assert ticks.last_until(following) == following


@given(
    st.sampled_from(EXPRESSIONS),
    st.sampled_from(("UTC", "Asia/Kabul")),
    st.lists(st.datetimes(datetime(2026, 3, 1), datetime(2026, 3, 3), timezones=st.just(UTC)), min_size=2),  # noqa: DTZ001
)
def test_the_next_tick_is_the_same_whatever_was_asked_before(expression, zone, instants):
    ticks = cron(expression, zone)
    for instant in (*instants, *sorted(instants)):
        assert ticks.next_after(instant) == cron(expression, zone).next_after(instant)


@pytest.mark.parametrize(
    ("expression", "zone", "after", "expected"),
    [
        (
            "0 2 * * *",
            "Asia/Kabul",
            datetime(2026, 3, 1, tzinfo=UTC),
            datetime(2026, 3, 1, 21, 30, tzinfo=UTC),
        ),
        ("0 0 29 2 *", "UTC", at(3, 1), datetime(2028, 2, 29, tzinfo=UTC)),
        ("0 12 * * SUN", "UTC", at(3, 2), at(3, 8, 12)),
        ("0 12 * * 7", "UTC", at(3, 2), at(3, 8, 12)),
        ("0 0 13 * 5", "UTC", at(3, 1), at(3, 6)),
    ],
    ids=["zone", "leap day", "sunday", "sunday is 7 too", "day of month or of week"],
)
def test_fields_mean_what_unix_cron_means(expression, zone, after, expected):
    assert cron(expression, zone).next_after(after) == expected


def test_a_machine_that_knows_no_time_yet_has_a_next_tick():
    assert cron("* * * * *").next_after(datetime(1970, 1, 1, tzinfo=UTC)) == datetime(
        1970, 1, 1, 0, 1, tzinfo=UTC
    )


def test_a_tick_is_never_before_the_instant_inside_a_doubled_hour():
    ticks = cron("30 2 * * *", "Europe/Berlin")
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    for minutes in range(1, 120, 7):
        assert ticks.next_after(first + timedelta(minutes=minutes)) > first + timedelta(hours=20)
