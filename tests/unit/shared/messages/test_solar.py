"""Solar Hijri dates are those of the almanacs."""

from datetime import date, timedelta

import pytest

from shared.domain.errors import InvalidInput
from shared.messages.solar import FIRST, LAST, SolarDate, is_leap, new_year, solar_date

KNOWN = {
    date(1950, 1, 1): (1328, 10, 11),
    date(1978, 4, 27): (1357, 2, 7),  # the seventh of Sawr
    date(1979, 2, 11): (1357, 11, 22),  # the twenty-second of Bahman
    date(1996, 3, 19): (1374, 12, 29),
    date(1996, 3, 20): (1375, 1, 1),
    date(2004, 1, 4): (1382, 10, 14),
    date(2017, 3, 20): (1395, 12, 30),
    date(2021, 3, 20): (1399, 12, 30),
    date(2021, 3, 21): (1400, 1, 1),
    date(2021, 8, 15): (1400, 5, 24),
    date(2024, 2, 29): (1402, 12, 10),
    date(2025, 3, 20): (1403, 12, 30),
    date(2025, 3, 21): (1404, 1, 1),
    date(2026, 3, 21): (1405, 1, 1),
    date(2026, 9, 22): (1405, 6, 31),
    date(2026, 9, 23): (1405, 7, 1),
    date(2029, 3, 19): (1407, 12, 29),
    date(2029, 3, 20): (1408, 1, 1),
    date(2099, 12, 31): (1478, 10, 11),
}


@pytest.mark.parametrize(("day", "expected"), KNOWN.items(), ids=str)
def test_a_known_day_has_its_known_date(day, expected):
    assert solar_date(day) == SolarDate(*expected)


def test_the_years_of_this_generation_that_are_leap():
    assert [year for year in range(1370, 1420) if is_leap(year)] == [
        *(1370, 1375, 1379, 1383, 1387, 1391, 1395, 1399, 1403, 1408, 1412, 1416)
    ]


def test_every_day_follows_the_one_before():
    before, day = solar_date(FIRST), FIRST
    while day < LAST:
        day += timedelta(days=1)
        now = solar_date(day)
        followers = {
            SolarDate(before.year, before.month, before.day + 1),
            SolarDate(before.year, before.month + 1, 1),
            SolarDate(before.year + 1, 1, 1),
        }
        assert now in followers
        assert (now.day == 1) is (before.day == _length(before))
        before = now


def _length(day):
    return 31 if day.month <= 6 else 30 if day.month < 12 else 29 + is_leap(day.year)


def test_a_year_starts_at_the_equinox():
    assert {(start.month, start.day) for start in map(new_year, range(1330, 1478))} <= {
        (3, 20),
        (3, 21),
        (3, 22),
    }


@pytest.mark.parametrize("day", [FIRST - timedelta(days=1), LAST + timedelta(days=1)])
def test_a_day_beyond_what_is_proven_is_refused(day):
    with pytest.raises(InvalidInput, match="1950 to 2099"):
        solar_date(day)
