"""Times as people read them: in UTC, and by the clock on the wall of the hotel, as its guests go by it."""

from datetime import datetime
from typing import Final

from infra.cli.answer import moment

AT_THE_HOTEL: Final = "at the hotel"


def there(instant: str, zone: str | None) -> str | None:
    """Return what the clock on the hotel's wall shows, with its date; None where nobody knows the hotel."""
    from zoneinfo import ZoneInfo

    if zone is None:
        return None
    return f"{datetime.fromisoformat(instant).astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}"


def both(instant: str, zone: str | None) -> str:
    """Return an instant in UTC, and at the hotel; its date is said once where it is the same."""
    utc, wall = moment(instant), there(instant, zone)
    if wall is None:
        return f"{utc} UTC"
    shown = wall.partition(" ")[2] if wall[:10] == utc[:10] else wall
    return f"{utc} UTC, {shown} {AT_THE_HOTEL}"
