"""What can be wrong with an event: said by field, never by value."""

from collections.abc import Iterable
from dataclasses import dataclass


class EventError(Exception):
    """The root of everything this package raises."""


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One thing wrong with one field, and what to do about it."""

    path: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}. {self.remedy}"


class InvalidEvent(EventError):
    """A document that is not an event of its subject; it lists every problem and echoes no value."""

    def __init__(self, problems: Iterable[FieldProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)))

    @classmethod
    def because(cls, path: str, problem: str, remedy: str) -> "InvalidEvent":
        """The error for a single problem."""
        return cls([FieldProblem(path, problem, remedy)])


class UnknownSubject(EventError):
    """A name the catalogue does not hold; it names the closest ones it does."""

    def __init__(self, name: str, close: Iterable[str]) -> None:
        self.close = tuple(close)
        hint = f"did you mean {' or '.join(self.close)}?" if self.close else "see shared/events/catalogue.py"
        super().__init__(f"unknown subject {name[:120]!r}: {hint}")


class CrossTenant(EventError):
    """An event of one tenant met state of another (B §6); the ids stay out of the message."""
