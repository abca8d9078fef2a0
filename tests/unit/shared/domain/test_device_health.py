"""A lock's condition: each crossing is one fact, and what wavers around a threshold crosses it once."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.device_health import Condition, Level, Looked, Measure, looked_at, read_near

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


def story(*looks, **always):
    """Return what is told at each look, an hour after another."""
    known, told = Condition(), []
    for number, look in enumerate(looks):
        at = NOW + number * HOUR
        said = {"online": True, "last_seen_at": at, **always, **look}
        known, crossings = looked_at(known, Looked(at=at, **said))
        told.append([(each.measure, each.level) for each in crossings])
    return told


def measured(name, *values, **always):
    return story(*({name: value} for value in values), **always)


BATTERY, CLOCK, SILENCE = Measure.BATTERY, Measure.CLOCK, Measure.SILENCE
LOW, BAD, GOOD = Level.WARNING, Level.CRITICAL, Level.GOOD


def test_a_battery_that_fades_is_told_at_the_quarter_and_at_a_tenth():
    assert measured("battery", 30, 26, 25, 26, 24, 10, 11, 9) == [
        *([], [], [(BATTERY, LOW)], [], [], [(BATTERY, BAD)], [], []),
    ]


def test_new_batteries_are_told_apart_from_warm_ones():
    assert measured("battery", 25, 34, 25, 35, 25) == [[(BATTERY, LOW)], [], [], [], [(BATTERY, LOW)]]


def test_the_vendor_s_own_threshold_counts():
    assert measured("battery", 25, 21, 20, battery_low_at=20) == [[], [], [(BATTERY, LOW)]]


def test_a_battery_that_nobody_told_of_changes_nothing():
    assert measured("battery", 20, None, 20) == [[(BATTERY, LOW)], [], []]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_clock_is_told_over_five_and_over_ten_minutes_either_way(sign):
    off = [sign * seconds * 1000 for seconds in (300, 301, 250, 301, 600, 601, 560, 601, 230, 301)]
    assert measured("skew_ms", *off) == [
        *([], [(CLOCK, LOW)], [], [], [], [(CLOCK, BAD)], [], [], [], [(CLOCK, LOW)]),
    ]


def test_half_an_hour_off_at_once_is_told_once_as_critical():
    assert measured("skew_ms", 1_800_000, 1_800_000) == [[(CLOCK, BAD)], []]


def test_a_lock_that_is_not_heard_is_told_once_it_is_silent_for_a_quarter_of_an_hour():
    seen = {"last_seen_at": NOW}
    away = {"online": False, **seen}
    assert story(seen, away, away, {}, {}) == [[], [(SILENCE, LOW)], [], [(SILENCE, GOOD)], []]


def test_a_lock_that_was_away_for_a_moment_is_not_told():
    known, _ = looked_at(Condition(), Looked(at=NOW, online=True, last_seen_at=NOW))
    for minutes, online in ((5, False), (14, False), (16, True), (20, False)):
        at = NOW + timedelta(minutes=minutes)
        known, told = looked_at(known, Looked(at=at, online=online, last_seen_at=at if online else NOW))
        assert told == ()


def seen(known, hours, **said):
    """Look at a lock in its vendor's list, and return what is told."""
    at = NOW + hours * HOUR
    known, crossings = looked_at(known, Looked(at=at, online=True, last_seen_at=at, **said))
    return known, [(each.measure, each.level) for each in crossings]


def read(known, hours, *, clock_set=False, **said):
    """Read a lock from near by, and return what is told."""
    looked = Looked(at=NOW + hours * HOUR, online=False, last_seen_at=NOW, **said)
    known, crossings = read_near(known, looked, clock_set=clock_set)
    return known, [(each.measure, each.level) for each in crossings]


def test_what_is_read_near_a_lock_is_told_once_and_says_nothing_of_who_hears_it():
    known, _ = seen(Condition(), 0, battery=90)
    now, told = read(known, 1, battery=19, skew_ms=10_000)
    assert told == [(BATTERY, LOW)]
    again, told = read(now, 1, battery=19, skew_ms=10_000)
    assert (again, told) == (now, [])
    _, told = read(now, 2, battery=18)
    assert told == []
    assert (now.silent_since, now.offline, now.looked_at) == (None, False, known.looked_at)


def test_a_clock_that_was_set_is_right_from_then_on_and_is_told_again_when_it_goes_wrong_again():
    known, told = read(Condition(), 1, skew_ms=700_000, clock_set=True)
    assert (told, known.skew_ms, known.skew_level) == ([(CLOCK, BAD)], 0, GOOD)
    known, told = read(known, 1, skew_ms=700_000, clock_set=True)
    assert told == []
    known, told = read(known, 2, skew_ms=1_000)
    assert told == []
    _, told = read(known, 3, skew_ms=-301_000, clock_set=True)
    assert told == [(CLOCK, LOW)]


def test_a_reading_that_comes_late_undoes_nothing_that_was_learnt_since():
    known, _ = seen(Condition(), 5, battery=95, skew_ms=0)
    assert read(known, 4, battery=8, skew_ms=900_000, clock_set=True) == (known, [])


def test_a_list_that_says_the_same_battery_again_is_no_news_against_what_was_read_there():
    known, _ = seen(Condition(), 0, battery=90)
    known, told = read(known, 1, battery=8)
    assert told == [(BATTERY, BAD)]
    known, told = seen(known, 2, battery=90)
    assert (told, known.battery, known.battery_level) == ([], 8, BAD)
    known, told = read(known, 3, battery=8)
    assert told == []
    known, _ = seen(known, 4, battery=100)
    assert (known.battery, known.battery_level) == (100, GOOD)


def test_firmware_is_compared_by_its_numbers():
    told = measured("firmware", "5.10.0", "v5.9.1", None, "5.9.1", "5.10.1", oldest_firmware="5.10")
    assert told == [[], [(Measure.FIRMWARE, LOW)], [], [], []]


LOOKS = st.lists(
    st.fixed_dictionaries(
        {
            "online": st.booleans(),
            "battery": st.none() | st.integers(0, 100),
            "skew_ms": st.none() | st.integers(-2_000_000, 2_000_000),
        }
    ),
    max_size=30,
)


@given(LOOKS)
def test_levels_rise_one_telling_at_a_time_and_silences_alternate(looks):
    told = [each for look in story(*looks) for each in look]
    silences = [level for measure, level in told if measure is SILENCE]
    assert silences == [LOW if number % 2 == 0 else GOOD for number in range(len(silences))]
    # The same look twice tells nothing the second time.
    doubled = [look for look in looks for _ in range(2)]
    for first, second in zip(story(*doubled)[::2], story(*doubled)[1::2], strict=True):
        assert not {measure for measure, _ in first} & {m for m, _ in second} - {SILENCE}
