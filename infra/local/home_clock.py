"""The clock of a home: the machine's, or in a sandbox as far ahead of it as somebody moved it.

How far is kept in the home, for its fleet, its simulated doors and the commands about them must agree: a
token of yesterday would be refused, and a vendor refuses calls that are dated otherwise than its own clock.
"""

import errno
import math
import os
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from infra.local.ambient import SystemClock
from shared.domain.errors import InvalidInput
from shared.ports.ambient import Clock

AHEAD: Final = "clock.ahead"
FURTHEST: Final = timedelta(days=36_525)
LOOK_AGAIN_SECONDS: Final = 1.0
"""How soon whatever waits for an instant sees that a clock that can be moved was moved."""


@dataclass(slots=True)
class HomeClock:
    """A clock that goes as the machine's does, so far ahead of it; a sandbox's can be moved on."""

    home: Path
    ahead: timedelta = timedelta()
    movable: bool = False
    machine: Clock = field(default_factory=SystemClock)

    @classmethod
    def of(cls, home: Path, *, movable: bool = False) -> "HomeClock":
        """Return the clock of a home as it was last moved."""
        return cls(home, _kept(home / AHEAD), movable)

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        return self.machine.now() + self.ahead

    def move(self, seconds: float) -> None:
        """Go on by so many seconds at once, here and at every later start; never back."""
        if not self.movable:
            remedy = "start it with keyfleet up --sample --simulators: a sandbox's clock can be moved"
            raise InvalidInput("clock", "this fleet goes by the machine's clock", remedy)
        if not (math.isfinite(seconds) and seconds >= 0 and self._reaches(seconds)):
            remedy = "name a later time; an earlier one needs a new sandbox, in a --home of its own"
            raise InvalidInput("clock", "what happened cannot be yet to come", remedy)
        ahead = self.ahead + timedelta(seconds=seconds)
        _keep(self.home / AHEAD, ahead)
        self.ahead = ahead

    def _reaches(self, seconds: float) -> bool:
        return seconds <= (FURTHEST - self.ahead).total_seconds()


def patience(clock: Clock, seconds: float) -> float:
    """Return how long to wait before the clock is looked at again: it may have been moved."""
    moves = isinstance(clock, HomeClock) and clock.movable
    return min(seconds, LOOK_AGAIN_SECONDS) if moves else seconds


def _kept(file: Path) -> timedelta:
    try:
        return timedelta(seconds=float(file.read_text(encoding="ascii")))
    except FileNotFoundError:
        return timedelta()
    except (ValueError, OverflowError):
        raise OSError(errno.EINVAL, f"{file} holds no number of seconds") from None


def _keep(file: Path, ahead: timedelta) -> None:
    draft = file.with_suffix(".draft")
    with draft.open("w", encoding="ascii") as written:
        written.write(f"{ahead.total_seconds()!r}\n")
        written.flush()
        os.fsync(written.fileno())
    draft.replace(file)
