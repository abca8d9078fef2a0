"""What a vendor's cloud tells by itself: which callback is due when, and what became of what was sent."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KEPT = 1000


@dataclass(frozen=True, slots=True)
class Notice:
    """One callback, to be sent to a client at its time."""

    due_ms: int
    client_id: str
    topic: str
    form: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One callback that was sent; accepted means that the client's answer was the one the vendor asks for."""

    at_ms: int
    client_id: str
    topic: str
    form: Mapping[str, Any] = field(repr=False)
    accepted: bool


@dataclass(slots=True)
class Notices:
    """Those waiting, and the last of those sent."""

    waiting: list[Notice] = field(default_factory=list)
    sent: deque[Delivery] = field(default_factory=lambda: deque(maxlen=KEPT))

    def take_due(self, now_ms: int) -> list[Notice]:
        """Remove and return what is due, in the order in which it was raised."""
        due = [notice for notice in self.waiting if notice.due_ms <= now_ms]
        if due:
            self.waiting = [notice for notice in self.waiting if notice.due_ms > now_ms]
        return due

    def withdraw(self, topic: str) -> None:
        """Drop what waits under a topic."""
        self.waiting = [notice for notice in self.waiting if notice.topic != topic]
