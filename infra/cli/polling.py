"""Waiting for something that another process does: looking again and again, and giving up in time."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from infra.local.ambient import SystemClock
from shared.ports.ambient import Clock

T = TypeVar("T")
LOOK_AGAIN_SECONDS = 0.05


class OutOfPatience(Exception):
    """It did not happen in time."""


def _pause(seconds: float) -> None:
    threading.Event().wait(seconds)


@dataclass(frozen=True, slots=True)
class Patience:
    """How to wait."""

    clock: Clock = field(default_factory=SystemClock)
    pause: Callable[[float], None] = _pause

    def until(self, look: Callable[[], T | None], seconds: float) -> T:
        """Return what a look finds; None means not yet."""
        began = self.seconds()
        while (found := look()) is None:
            if self.seconds() - began >= seconds:
                raise OutOfPatience(f"not within {seconds:g} s")
            self.pause(LOOK_AGAIN_SECONDS)
        return found

    def seconds(self) -> float:
        """Return a reading to take differences of."""
        return self.clock.now().timestamp()
