"""Periods of validity in epoch milliseconds, the grids they are cut to, and how a lock judges them."""

from dataclasses import dataclass
from enum import StrEnum

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000


class Reason(StrEnum):
    """What a door has to say about an attempt."""

    OPEN = "open"
    NOT_YET_VALID = "not_yet_valid"
    EXPIRED = "expired"
    OUTSIDE_HOURS = "outside_hours"
    NOT_USED_IN_TIME = "not_used_in_time"
    USED_UP = "used_up"
    DELETED = "deleted"
    FROZEN = "frozen"
    NEVER_WRITTEN = "never_written"
    NO_POWER = "no_power"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Window:
    """From start to before end; an end of 0 is for ever."""

    start: int
    end: int

    def to_the_minute(self) -> "Window":
        """Return the window cut to whole minutes."""
        return Window(_floor(self.start, MINUTE_MS), _floor(self.end, MINUTE_MS))

    def to_the_hour(self, offset_ms: int) -> "Window":
        """Return the window cut to whole hours of a clock that far ahead of UTC."""
        end = whole_hour(self.end, offset_ms) if self.end else 0
        return Window(whole_hour(self.start, offset_ms), end)

    def judged(self, lock_ms: int) -> Reason:
        """Return whether a lock whose clock shows this instant honours the window."""
        if lock_ms < self.start:
            return Reason.NOT_YET_VALID
        if self.end and lock_ms >= self.end:
            return Reason.EXPIRED
        return Reason.OPEN


ALWAYS = Window(0, 0)


def whole_hour(instant_ms: int, offset_ms: int) -> int:
    """Return the beginning of the hour by a clock that far ahead of UTC."""
    return _floor(instant_ms + offset_ms, HOUR_MS) - offset_ms


def _floor(value: int, step: int) -> int:
    return value // step * step
