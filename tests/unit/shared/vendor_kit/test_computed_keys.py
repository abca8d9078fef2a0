"""Windows fit the vendor's grids: on the minute a guest loses no time, on the hour nobody gets another's."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.ids import LockDeviceId
from shared.domain.kinds import KeyCredentialKind
from shared.ports.lock import LockKey
from shared.vendor_kit.computed_keys import in_hours, may_be_computed
from shared.vendor_kit.grids import EPOCH, HOUR, MINUTE, Bounds, in_minutes
from shared.vendors.ttlock.kinds import COMPUTED

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
KABUL = timedelta(hours=4, minutes=30)
INSTANTS = st.timedeltas(timedelta(0), timedelta(days=400)).map(lambda ahead: NOON + ahead)
STAYS = st.timedeltas(timedelta(minutes=1), timedelta(days=60))
OFFSETS = st.sampled_from([timedelta(0), KABUL, timedelta(hours=-3), timedelta(hours=5, minutes=45)])


def key(start=NOON, end=NOON + timedelta(days=1), **changes):
    return LockKey(
        device_id=LockDeviceId("lck_01KSAMP1E00000000000000101"),
        kind=KeyCredentialKind.PIN_CODE,
        name="MM-1",
        valid_from=start,
        valid_until=end,
        idempotency_key="k",
        **changes,
    )


def test_window_on_the_minute_stays_and_needs_no_warning():
    bounds = in_minutes(key())
    assert bounds == Bounds(NOON, NOON + timedelta(days=1))
    assert bounds.warnings(key()) == ()


def test_window_off_the_minute_is_widened_to_it_and_told():
    wanted = key(NOON + timedelta(seconds=10), NOON + timedelta(minutes=5, microseconds=1))
    bounds = in_minutes(wanted)
    assert bounds == Bounds(NOON, NOON + timedelta(minutes=6))
    assert [(each.code, each.detail) for each in bounds.warnings(wanted)] == [
        ("WINDOW_ROUNDED", "opens from 2026-05-01 12:00 to 2026-05-01 12:06 UTC")
    ]


def test_hours_are_those_of_the_lock_s_own_clock_within_the_stay():
    bounds = in_hours(key(), NOON - HOUR, KABUL)
    assert bounds == Bounds(NOON + timedelta(minutes=30), NOON + timedelta(hours=23, minutes=30))


def test_computed_key_of_a_stay_long_begun_begins_with_the_present_hour():
    assert in_hours(key(), NOON + timedelta(hours=9, minutes=10), timedelta(0)).start == NOON + 9 * HOUR


@given(INSTANTS, STAYS)
def test_guest_loses_no_time_on_the_minute_and_gains_less_than_one(start, stay):
    bounds = in_minutes(key(start, start + stay))
    assert start - MINUTE < bounds.start <= start
    assert start + stay <= bounds.end < start + stay + MINUTE
    assert on_grid(bounds, MINUTE, timedelta(0))


@given(INSTANTS, STAYS, OFFSETS, st.timedeltas(timedelta(hours=-30), timedelta(days=2)))
def test_es4_a_computed_key_opens_in_its_own_stay_alone_and_misses_less_than_an_hour_of_each_end(
    start, stay, offset, gone_by
):
    now = start + gone_by
    bounds = in_hours(key(start, start + stay), now, offset)
    assert on_grid(bounds, HOUR, offset)
    assert start + stay - HOUR < bounds.end <= start + stay
    opens_from = max(bounds.start, now)  # what is past lets nobody in
    assert start <= opens_from < max(start, now) + HOUR


def on_grid(bounds, step, offset):
    """Say whether both ends are whole steps on a clock so far ahead of UTC."""
    return not any((each - EPOCH + offset) % step for each in (bounds.start, bounds.end))


@given(INSTANTS, STAYS, st.timedeltas(timedelta(days=-2), timedelta(days=2)))
def test_no_key_begins_before_the_previous_guest_leaves(start, stay, gap):
    bounds = in_minutes(key(start, start + stay, not_before=start + gap))
    assert bounds.start >= start + gap
    assert bounds.start < max(start, start + gap) + MINUTE


@given(INSTANTS, INSTANTS)
def test_bounds_survive_the_vendor_s_milliseconds(start, end):
    to_ms = timedelta(milliseconds=1)
    bounds = Bounds(
        start - timedelta(microseconds=start.microsecond % 1000),
        end - timedelta(microseconds=end.microsecond % 1000),
    )
    assert Bounds.of_ms(bounds.start_ms, bounds.end_ms) == bounds
    assert bounds.end_ms - bounds.start_ms == (bounds.end - bounds.start) / to_ms


@pytest.mark.parametrize(
    ("start", "end", "possible"),
    [
        (timedelta(hours=24), timedelta(days=2), True),
        (timedelta(hours=24, seconds=1), timedelta(days=2), False),
        (-timedelta(days=3), timedelta(days=365), True),
        (timedelta(0), timedelta(days=365, seconds=1), False),
    ],
)
def test_passcode_is_computed_for_guests_near_and_stays_within_a_year(start, end, possible):
    assert may_be_computed(key(NOON + start, NOON + end), NOON, COMPUTED) is possible


@pytest.mark.parametrize(("at", "empty"), [(NOON, False), (NOON + HOUR, True), (NOON + 2 * HOUR, True)])
def test_window_is_empty_once_it_is_over(at, empty):
    assert Bounds(NOON, NOON + HOUR).empty(at) is empty


def test_window_that_ends_before_it_begins_is_empty():
    assert Bounds(NOON, NOON).empty(NOON - HOUR)
