"""Unix cron in a named zone: five fields as Cloud Scheduler takes them, and what happens when clocks change.

A job at a fixed time that falls into the skipped hour runs at its end; in the doubled hour it runs once. One
that repeats within the hour follows real time: nothing is skipped or doubled. (Debian's cron does it so.)
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from infra.local.delivery.refusal import Check

FIELDS = 5
PART = re.compile(r"\*|\d+|[A-Za-z]{3}")
SEPARATOR = re.compile(r"[,/-]")
NEVER = datetime.min.replace(tzinfo=UTC)
CRON_REMEDY = "give minute, hour, day of month, month and day of week, as in */5 * * * *"


class Cron:
    """When a job is due."""

    def __init__(self, expression: str, zone: str, check: Check) -> None:
        self._expression, self._zone = expression, _zone(zone, check)
        self._between = NEVER, NEVER
        self._later: Iterator[datetime] = iter(())
        fields = expression.split()
        if len(fields) != FIELDS or not all(map(_plain, fields)):
            check.refuse("cron", f"is {expression!r}", CRON_REMEDY)
        try:
            next(CronSim(expression, datetime(2024, 1, 1, tzinfo=UTC)))
        except CronSimError as error:
            check.refuse("cron", f"is {expression!r} ({error})", CRON_REMEDY)
        except StopIteration:
            check.refuse("cron", f"is {expression!r}, which never comes", "name a day that exists")

    def next_after(self, instant: datetime) -> datetime:
        """Return the first tick later than the instant, in UTC."""
        began, tick = self._between  # nothing lies between these two: asked again until it comes, it is known
        if not began <= instant < tick:
            if instant != tick:  # else they go on where they are
                self._later = self._ticks(instant, reverse=False)
            tick = next(each for each in self._later if each > instant)
            self._between = instant, tick
        return tick

    def last_until(self, instant: datetime) -> datetime:
        """Return the last tick no later than the instant, in UTC."""
        start = instant + timedelta(seconds=1)
        return next(tick for tick in self._ticks(start, reverse=True) if tick <= instant)

    def _ticks(self, start: datetime, *, reverse: bool) -> Iterator[datetime]:
        for tick in CronSim(self._expression, start.astimezone(self._zone), reverse=reverse):
            yield tick.astimezone(UTC)


def _plain(field: str) -> bool:
    return all(PART.fullmatch(part) for part in SEPARATOR.split(field))


def _zone(name: str, check: Check) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        check.refuse("zone", f"is {name!r}", "name a zone of the IANA database, as in Asia/Kabul")
        raise
