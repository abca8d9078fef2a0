"""Periods of validity in epoch milliseconds, and the grids they are cut to."""

from dataclasses import dataclass

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000


@dataclass(frozen=True, slots=True)
class Window:
    """From start to before end; an end of 0 is for ever."""

    start: int
    end: int

    def to_the_minute(self) -> "Window":
        """Return what a lock keeps of a custom passcode's or a card's window."""
        return Window(_floor(self.start, MINUTE_MS), _floor(self.end, MINUTE_MS))

    def to_the_hour(self, offset_ms: int) -> "Window":
        """Return the window cut to whole hours of a clock that far ahead of UTC."""
        end = whole_hour(self.end, offset_ms) if self.end else 0
        return Window(whole_hour(self.start, offset_ms), end)


ALWAYS = Window(0, 0)


def whole_hour(instant_ms: int, offset_ms: int) -> int:
    """Return the beginning of the hour by a clock that far ahead of UTC."""
    return _floor(instant_ms + offset_ms, HOUR_MS) - offset_ms


def _floor(value: int, step: int) -> int:
    return value // step * step
