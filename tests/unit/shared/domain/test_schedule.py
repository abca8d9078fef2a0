"""Weekly shifts on the property's clock."""

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.errors import InvalidInput
from shared.domain.schedule import WeeklySchedule, WeeklyShift

# 2026-05-04 is a Monday; Kabul is at +04:30 all year.
MORNING = WeeklyShift(0, time(6), time(14))
NIGHT = WeeklyShift(0, time(22), time(6))
ALWAYS = WeeklySchedule(tuple(WeeklyShift(day, time(0), time(0)) for day in range(7)), "Asia/Kabul")


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("instant", "working"),
    [
        ("2026-05-04T01:29:59", False),
        ("2026-05-04T01:30:00", True),
        ("2026-05-04T09:29:59", True),
        ("2026-05-04T09:30:00", False),
        ("2026-05-05T05:00:00", False),
        ("2026-05-11T05:00:00", True),
    ],
)
def test_a_shift_is_read_on_the_propertys_clock_every_week(instant, working):
    assert WeeklySchedule((MORNING,), "Asia/Kabul").covers(at(instant)) is working


@pytest.mark.parametrize(
    ("instant", "working"),
    [
        ("2026-05-04T17:30", True),
        ("2026-05-05T01:29", True),
        ("2026-05-05T01:30", False),
        ("2026-05-04T01:00", False),
    ],
)
def test_a_night_shift_ends_on_the_next_day(instant, working):
    assert WeeklySchedule((NIGHT,), "Asia/Kabul").covers(at(instant)) is working


@pytest.mark.parametrize(
    ("after", "change"),
    [
        ("2026-05-04T00:00", "2026-05-04T01:30"),
        ("2026-05-04T01:30", "2026-05-04T09:30"),
        ("2026-05-04T09:30", "2026-05-11T01:30"),
    ],
)
def test_the_next_change_is_the_next_start_or_end(after, change):
    assert WeeklySchedule((MORNING,), "Asia/Kabul").next_change(at(after)) == at(change)


def test_shifts_that_touch_are_no_change():
    schedule = WeeklySchedule((MORNING, WeeklyShift(0, time(14), time(22))), "Asia/Kabul")

    assert schedule.next_change(at("2026-05-04T01:30")) == at("2026-05-04T17:30")


def test_somebody_who_never_stops_has_no_next_change():
    assert ALWAYS.next_change(at("2026-05-04T01:30")) is None


def test_a_night_shift_through_a_clock_change_is_an_hour_shorter():
    shift = WeeklyShift(5, time(22), time(6))

    assert shift.on(at("2026-03-28T00:00").date(), "Europe/Berlin").duration == timedelta(hours=7)


@pytest.mark.parametrize("weekday", [-1, 7])
def test_a_week_has_seven_days(weekday):
    with pytest.raises(InvalidInput, match="weekday"):
        WeeklyShift(weekday, time(6), time(14))


def test_shift_times_are_the_propertys_and_bring_no_zone():
    with pytest.raises(InvalidInput, match="zone"):
        WeeklyShift(0, time(6, tzinfo=UTC), time(14))


@pytest.mark.parametrize(("shifts", "zone"), [((), "Asia/Kabul"), ((MORNING,), "Asia/Nowhere")])
def test_a_schedule_has_shifts_and_a_known_zone(shifts, zone):
    with pytest.raises(InvalidInput):
        WeeklySchedule(shifts, zone)


SHIFTS = st.builds(
    WeeklyShift,
    st.integers(0, 6),
    st.times().map(lambda value: value.replace(microsecond=0)),
    st.times().map(lambda value: value.replace(microsecond=0)),
)


@given(
    st.lists(SHIFTS, min_size=1, max_size=5).map(tuple),
    st.sampled_from(["Asia/Kabul", "Europe/Berlin"]),
    st.datetimes(
        datetime.fromisoformat("2026-01-01"), datetime.fromisoformat("2026-12-31"), timezones=st.just(UTC)
    ),
)
def test_nothing_changes_before_the_next_change_and_something_does_at_it(shifts, zone, now):
    schedule = WeeklySchedule(shifts, zone)
    change = schedule.next_change(now)

    halfway = now + (change - now) / 2 if change else now + timedelta(days=3)
    assert schedule.covers(halfway) == schedule.covers(now)
    assert change is None or schedule.covers(change) != schedule.covers(now)
