"""Times as a guest reads them: the hotel's clock, and the calendars that the language expects."""

from datetime import datetime
from typing import Final, Literal

from shared.domain.instants import utc
from shared.domain.window import zone_named
from shared.messages.locales import Locale
from shared.messages.solar import solar_date
from shared.messages.texts import Tongue, filled

Form = Literal["long", "short"]
GREGORIAN: Final = frozenset({"weekday", "day", "month", "short_month", "year", "time"})
SOLAR: Final = frozenset({"solar_day", "solar_month", "solar_year"})


def spoken_time(at: datetime, zone: str, locale: Locale, tongue: Tongue, form: Form) -> str:
    """Write an instant on the hotel's clock; digits are those of the keypad, and a day has 24 hours."""
    local = utc(at, "time").astimezone(zone_named(zone))
    values = _gregorian(local, tongue) | (_solar(local, tongue) if locale.counts_solar_years else {})
    return filled(tongue.pattern(form), values)


def _gregorian(local: datetime, tongue: Tongue) -> dict[str, str]:
    return {
        "weekday": tongue.name("weekdays", local.weekday()),
        "day": str(local.day),
        "month": tongue.name("months", local.month - 1),
        "short_month": tongue.name("short_months", local.month - 1),
        "year": str(local.year),
        "time": f"{local:%H:%M}",
    }


def _solar(local: datetime, tongue: Tongue) -> dict[str, str]:
    date = solar_date(local.date())
    return {
        "solar_day": str(date.day),
        "solar_month": tongue.name("solar_months", date.month - 1),
        "solar_year": str(date.year),
    }
