"""Instants are aware and UTC, in memory and in text."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.domain.errors import InvalidInput
from shared.domain.instants import instant_from_text, instant_to_text, milliseconds, utc

KABUL = timezone(timedelta(hours=4, minutes=30))
LATER = datetime.fromisoformat("0001-01-02")
"""What a clock in Kabul may show of a time that is in the calendar in UTC too."""


def test_utc_turns_an_offset_into_utc():
    instant = utc(datetime(2026, 5, 1, 14, 0, tzinfo=KABUL), "at")

    assert instant == datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
    assert instant.tzinfo is UTC


def test_utc_refuses_a_time_without_a_zone():
    with pytest.raises(InvalidInput, match=r"^validFrom: the time has no zone\."):
        utc(datetime.fromisoformat("2026-05-01T14:00:00"), "validFrom")


@given(st.datetimes(timezones=st.just(UTC)))
def test_instant_text_round_trips(instant):
    text = instant_to_text(instant)

    assert text.endswith("Z")
    assert instant_from_text(text, "at") == instant


@pytest.mark.parametrize("text", ["", "yesterday", "2026-05-01T14:00:00", "2026-13-01T00:00:00Z", 5, None])
def test_instant_from_text_refuses_what_is_not_an_instant_without_repeating_it(text):
    with pytest.raises(InvalidInput) as refusal:
        instant_from_text(text, "validFrom")

    assert refusal.value.field == "validFrom"
    assert "yesterday" not in str(refusal.value)


def test_instant_from_text_refuses_what_leaves_the_calendar():
    with pytest.raises(InvalidInput, match="validFrom: outside the calendar"):
        instant_from_text("0001-01-01T00:00:00+14:00", "validFrom")


def test_utc_refuses_what_leaves_the_calendar():
    with pytest.raises(InvalidInput, match="validUntil: outside the calendar"):
        utc(datetime.max.replace(tzinfo=timezone(timedelta(hours=-5))), "validUntil")


def test_text_of_an_instant_is_its_own_in_the_hour_that_a_wall_clock_has_twice():
    first = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    assert [instant_to_text(each) for each in (first, first.replace(fold=1))] == [
        "2026-10-25T00:30:00Z",
        "2026-10-25T01:30:00Z",
    ]


@given(st.datetimes(timezones=st.just(UTC)) | st.datetimes(LATER, timezones=st.just(KABUL)))
@example(datetime.min.replace(tzinfo=UTC))
@example(datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC))
def test_instant_is_written_and_ordered_as_the_calendar_has_it(instant):
    text = instant_to_text(utc(instant, "at"))
    assert text == utc(instant, "at").isoformat().removesuffix("+00:00") + "Z"
    assert milliseconds(instant) == (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
