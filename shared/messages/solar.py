"""Solar Hijri dates, as Afghanistan counts them: a year starts at the spring equinox.

Six months of 31 days, five of 30, and a last one of 29, or of 30 in a leap year. A year is leap if its
remainder by 33 is one of eight. That agrees with ICU for every day of 1950 to 2099; others are refused.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from shared.domain.errors import InvalidInput

FIRST, LAST = date(1950, 1, 1), date(2099, 12, 31)
_LEAP: Final = frozenset({1, 5, 9, 13, 17, 22, 26, 30})
_KNOWN_YEAR, _KNOWN_START = 1400, date(2021, 3, 21)
_LONG_MONTHS, _LONG, _SHORT = 6, 31, 30


@dataclass(frozen=True, slots=True)
class SolarDate:
    """A day of the Solar Hijri calendar, months from 1."""

    year: int
    month: int
    day: int


def solar_date(day: date) -> SolarDate:
    """Return the Solar Hijri date of a Gregorian one."""
    if not FIRST <= day <= LAST:
        remedy = "Give a day of the years 1950 to 2099"
        raise InvalidInput("date", "outside of what this calendar is proven for", remedy)
    year = day.year - 621
    if day < new_year(year):
        year -= 1
    passed = (day - new_year(year)).days
    months, days = divmod(passed, _LONG)
    if months >= _LONG_MONTHS:
        months, days = divmod(passed - _LONG_MONTHS * _LONG, _SHORT)
        months += _LONG_MONTHS
    return SolarDate(year, months + 1, days + 1)


def new_year(year: int) -> date:
    """Return the Gregorian date of 1 Hamal."""
    after = sum(_days(each) for each in range(_KNOWN_YEAR, year))
    before = sum(_days(each) for each in range(year, _KNOWN_YEAR))
    return _KNOWN_START + timedelta(days=after - before)


def is_leap(year: int) -> bool:
    """Say whether the year's last month has thirty days."""
    return year % 33 in _LEAP


def _days(year: int) -> int:
    return 365 + is_leap(year)
