"""What every simulated device is: bytes in, answers out, each with the time the device itself takes."""

from collections import deque
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Answer:
    """Bytes for the host, and the seconds of radio or thought before them."""

    data: bytes
    after: float = 0.0


class Device(Protocol):
    """A device at the far end of a wire."""

    def receive(self, data: bytes) -> list[Answer]:
        """Take bytes from the host, in pieces of any size, and return what to send."""


@dataclass
class Faults:
    """What goes wrong, in order: each step of the device takes the next fault, or none.

    `ok` does nothing; the others are each device's own words, listed in the README.
    """

    planned: deque[str] = field(default_factory=deque)
    struck: list[str] = field(default_factory=list)

    def plan(self, *faults: str) -> None:
        """Add faults for the coming commands."""
        self.planned.extend(faults)

    def next(self) -> str:
        """Take the fault of this command."""
        fault = self.planned.popleft() if self.planned else "ok"
        if fault != "ok":
            self.struck.append(fault)
        return fault


class HostMistake(Exception):
    """The host sent what no real device would take: a defect of whoever wrote it, not a fault of the line."""


def expect(holds: bool, what: str) -> None:
    """Say loudly that the host made a mistake."""
    if not holds:
        raise HostMistake(what)
