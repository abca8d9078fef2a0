"""Schedules as an operator sees them: when each runs, how it last went, and running one out of turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ScheduleState:
    """How a schedule stands: when it runs and what it calls, the last run, if any, and the next."""

    name: str
    cron: str
    zone: str
    calls: str
    last_run: datetime | None
    last_outcome: str | None
    next_run: datetime | None


class UnknownSchedule(LookupError):
    """No schedule of that name."""


class Schedules(Protocol):
    """The fleet's clocks."""

    async def states(self) -> Sequence[ScheduleState]:
        """Return how each schedule stands, by name."""

    async def run(self, name: str) -> str:
        """Have a schedule make its call once, now; return how it went, or that it was asked for.

        Its ticks are not touched.
        """
