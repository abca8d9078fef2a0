"""Time, chance and names, which nobody may take from the machine directly."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""


class Entropy(Protocol):
    """Chance."""

    def token(self, size: int) -> bytes:
        """Return `size` unpredictable bytes."""

    def uniform(self, low: float, high: float) -> float:
        """Return a number between the bounds."""


class Ids(Protocol):
    """New names."""

    def ulid(self) -> str:
        """Return a new ULID, greater than every one before it."""
