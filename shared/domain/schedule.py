"""When staff work: weekly shifts on the property's clock, also past midnight and through clock changes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from shared.domain.errors import InvalidInput
from shared.domain.instants import utc
from shared.domain.window import StayWindow, zone_named


@dataclass(frozen=True, slots=True)
class WeeklyShift:
    """One shift a week, `weekday` counting from Monday as 0; an end not after the start is the next day's."""

    weekday: int
    start: time
    end: time

    def __post_init__(self) -> None:
        if not 0 <= self.weekday <= 6:
            raise InvalidInput("weekday", "not a day of the week", "Give 0 for Monday to 6 for Sunday")
        if self.start.tzinfo or self.end.tzinfo:
            raise InvalidInput("shift", "its times have a zone", "Give times on the property's clock")

    def on(self, day: date, zone: str) -> StayWindow:
        """Return the shift that begins on a day."""
        last_day = day + timedelta(days=self.end <= self.start)
        start, end = datetime.combine(day, self.start), datetime.combine(last_day, self.end)
        return StayWindow.of_local(start, end, zone)


@dataclass(frozen=True, slots=True)
class WeeklySchedule:
    """A member of staff's week."""

    shifts: tuple[WeeklyShift, ...]
    zone: str

    def __post_init__(self) -> None:
        zone_named(self.zone)
        if not self.shifts:
            raise InvalidInput("shifts", "empty", "Give at least one shift")

    def covers(self, instant: datetime) -> bool:
        """Say whether somebody of this schedule is at work."""
        return any(shift.covers(instant) for shift in self._around(instant))

    def next_change(self, after: datetime) -> datetime | None:
        """Return the first instant after this one at which work begins or ends; None if it never does."""
        edges = {edge for shift in self._around(after) for edge in (shift.start, shift.end)}
        turns = (edge for edge in sorted(edges) if edge > utc(after, "after"))
        return next((edge for edge in turns if self.covers(edge) != self.covers(edge - _MOMENT)), None)

    def turn(self, instant: datetime) -> StayWindow | None:
        """Return the work that goes on at an instant, or the next to begin; shifts that touch are one."""
        ahead = sorted(self._around(instant), key=lambda shift: shift.start)
        return first_turn(ahead, instant)

    def _around(self, instant: datetime) -> Iterator[StayWindow]:
        """Yield the shifts of the days from two before to nine after: enough to hold the next change."""
        today = utc(instant, "instant").astimezone(zone_named(self.zone)).date()
        for offset in range(-2, 10):
            day = today + timedelta(days=offset)
            yield from (shift.on(day, self.zone) for shift in self.shifts if shift.weekday == day.weekday())


def first_turn(shifts: Iterable[StayWindow], instant: datetime) -> StayWindow | None:
    """Return the first of these shifts, by their starts, that is not over, with those that touch it."""
    turn: StayWindow | None = None
    for shift in shifts:
        if turn is not None and shift.start > turn.end and turn.end > instant:
            break
        goes_on = turn is not None and shift.start <= turn.end
        turn = turn.until(max(turn.end, shift.end)) if turn is not None and goes_on else shift
    return turn if turn is not None and turn.end > instant else None


_MOMENT = timedelta(microseconds=1)
