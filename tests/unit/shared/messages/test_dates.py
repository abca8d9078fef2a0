"""Times are the hotel's, in the calendars of the language, with the digits of the keypad."""

from datetime import UTC, datetime

import pytest

from shared.messages.dates import spoken_time
from shared.messages.locales import Locale
from shared.messages.texts import our_texts

NOON = datetime(2026, 3, 21, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("locale", "long", "short"),
    [
        (Locale.EN, "Saturday 21 March 2026, 14:00", "21 Mar 14:00"),
        (Locale.FR, "samedi 21 mars 2026 à 14:00", "21 mars à 14:00"),
        (Locale.AR, "السبت 21 مارس 2026، الساعة 14:00", "21 مارس 14:00"),
        (Locale.FA_AF, "شنبه 1 حمل 1405 (21 مارچ 2026)، ساعت 14:00", "1 حمل (21 مارچ) 14:00"),
        (Locale.PS, "اونۍ 1 وری 1405 (21 مارچ 2026)، 14:00 بجې", "1 وری (21 مارچ) 14:00"),
    ],
)
def test_a_time_is_written_as_the_language_does(locale, long, short):
    tongue = our_texts().tongues[locale]
    assert spoken_time(NOON, "Asia/Kabul", locale, tongue, "long") == long
    assert spoken_time(NOON, "Asia/Kabul", locale, tongue, "short") == short


def test_the_day_is_that_of_the_hotel():
    late = datetime(2026, 3, 20, 19, 45, tzinfo=UTC)
    tongue = our_texts().tongues[Locale.FA_AF]
    assert spoken_time(late, "Asia/Kabul", Locale.FA_AF, tongue, "short") == "1 حمل (21 مارچ) 00:15"
    assert spoken_time(late, "Europe/Paris", Locale.FA_AF, tongue, "short") == "29 حوت (20 مارچ) 20:45"


def test_a_clock_change_is_told_as_the_wall_clock_shows_it():
    tongue = our_texts().tongues[Locale.EN]
    times = [datetime(2026, 3, 29, hour, 30, tzinfo=UTC) for hour in (0, 1)]
    told = [spoken_time(at, "Europe/Paris", Locale.EN, tongue, "short") for at in times]
    assert told == ["29 Mar 01:30", "29 Mar 03:30"]


def test_a_time_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="no zone"):
        spoken_time(NOON.replace(tzinfo=None), "Asia/Kabul", Locale.EN, our_texts().tongues["en"], "long")
