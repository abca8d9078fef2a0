"""Windows: UTC inside, the property's clock outside, and honest around clock changes."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.errors import InvalidInput
from shared.domain.window import StayWindow

START = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
NIGHT = timedelta(days=1)


def wall(text):
    return datetime.fromisoformat(text)


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_window_is_kept_in_utc_and_read_on_the_propertys_clock():
    kabul = timezone(timedelta(hours=4, minutes=30))
    window = StayWindow(
        datetime(2026, 5, 1, 14, 0, tzinfo=kabul), datetime(2026, 5, 3, 11, 0, tzinfo=kabul), "Asia/Kabul"
    )

    assert window.start == START
    assert window.start.tzinfo is window.end.tzinfo is UTC
    assert window.local_start.isoformat() == "2026-05-01T14:00:00+04:30"
    assert window.local_end.isoformat() == "2026-05-03T11:00:00+04:30"


def test_kabul_check_in_at_two_is_half_past_nine_utc():
    window = StayWindow.of_local(wall("2026-05-01T14:00"), wall("2026-05-03T11:00"), "Asia/Kabul")

    assert (window.start, window.end) == (at("2026-05-01T09:30"), at("2026-05-03T06:30"))


@pytest.mark.parametrize(("start", "end"), [(START, START), (START, START - NIGHT)])
def test_a_window_that_does_not_end_after_its_start_is_refused(start, end):
    with pytest.raises(InvalidInput, match=r"^validUntil: not after validFrom\."):
        StayWindow(start, end, "Asia/Kabul")


@pytest.mark.parametrize("field", ["validFrom", "validUntil"])
def test_a_window_without_a_zone_on_its_instants_is_refused(field):
    instants = {"validFrom": START, "validUntil": START + NIGHT}
    instants[field] = instants[field].replace(tzinfo=None)

    with pytest.raises(InvalidInput, match=f"^{field}: the time has no zone"):
        StayWindow(instants["validFrom"], instants["validUntil"], "Asia/Kabul")


@pytest.mark.parametrize(
    "zone", ["", "Asia", "Asia/Nowhere", "../../etc/passwd", "/etc/localtime", "a\0b", "UTC+4"]
)
def test_an_unknown_zone_is_refused_with_an_example(zone):
    with pytest.raises(InvalidInput, match=r"zone: not a known time zone\. .*Asia/Kabul"):
        StayWindow(START, START + NIGHT, zone)


def test_a_gap_in_spring_gives_the_guest_the_longer_stay():
    # Berlin, 2026-03-29: 02:00 becomes 03:00, so half past two never happens.
    arriving = StayWindow.of_local(wall("2026-03-29T02:30"), wall("2026-03-30T11:00"), "Europe/Berlin")
    leaving = StayWindow.of_local(wall("2026-03-28T14:00"), wall("2026-03-29T02:30"), "Europe/Berlin")

    assert arriving.start == at("2026-03-29T00:30")
    assert leaving.end == at("2026-03-29T01:30")


def test_a_fold_in_autumn_gives_the_guest_the_longer_stay():
    # Berlin, 2026-10-25: half past two happens at 00:30 and at 01:30 UTC.
    arriving = StayWindow.of_local(wall("2026-10-25T02:30"), wall("2026-10-26T11:00"), "Europe/Berlin")
    leaving = StayWindow.of_local(wall("2026-10-24T14:00"), wall("2026-10-25T02:30"), "Europe/Berlin")

    assert arriving.start == at("2026-10-25T00:30")
    assert leaving.end == at("2026-10-25T01:30")


def test_a_stay_across_the_clock_change_is_an_hour_longer_or_shorter():
    spring = StayWindow.of_local(wall("2026-03-28T14:00"), wall("2026-03-29T14:00"), "Europe/Berlin")
    autumn = StayWindow.of_local(wall("2026-10-24T14:00"), wall("2026-10-25T14:00"), "Europe/Berlin")

    assert (spring.duration, autumn.duration) == (timedelta(hours=23), timedelta(hours=25))


def test_iran_no_longer_changes_its_clocks():
    window = StayWindow.of_local(wall("2026-07-01T14:00"), wall("2026-07-02T11:00"), "Asia/Tehran")

    assert window.start == at("2026-07-01T10:30")


def test_a_wall_clock_time_must_not_bring_a_zone():
    with pytest.raises(InvalidInput, match="already has a zone"):
        StayWindow.of_local(START, START + NIGHT, "Asia/Kabul")


def test_a_window_covers_its_start_and_not_its_end():
    window = StayWindow(START, START + NIGHT, "Asia/Kabul")

    assert window.covers(window.start)
    assert window.covers(window.end - timedelta(microseconds=1))
    assert not window.covers(window.end)
    assert not window.covers(window.start - timedelta(microseconds=1))


@pytest.mark.parametrize(
    ("offset", "expected"), [(-1, False), (-0.5, True), (0, True), (0.5, True), (1, False), (2, False)]
)
def test_back_to_back_stays_do_not_overlap(offset, expected):
    window = StayWindow(START, START + NIGHT, "Asia/Kabul")
    other = StayWindow(START + offset * NIGHT, START + (offset + 1) * NIGHT, "Asia/Kabul")

    assert window.overlaps(other) is other.overlaps(window) is expected


def test_another_end_leaves_the_start_alone():
    window = StayWindow(START, START + NIGHT, "Asia/Kabul")

    assert window.until(START + 2 * NIGHT) == StayWindow(START, START + 2 * NIGHT, "Asia/Kabul")


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)),  # noqa: DTZ001 - wall-clock time on purpose
    st.integers(1, 60 * 24 * 30),
    st.sampled_from(
        ["Asia/Kabul", "Asia/Tehran", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe"]
    ),
)
def test_local_reading_never_shortens_a_stay(start, minutes, zone):
    window = StayWindow.of_local(start, start + timedelta(minutes=minutes + 120), zone)

    assert window.local_start.replace(tzinfo=None) <= start + timedelta(hours=1)
    assert window.start < window.end
