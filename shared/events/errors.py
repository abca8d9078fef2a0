"""What can be wrong with an event: said by field, never by value."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_SAID: Final = re.compile(r"(\S+): (.+?)\. (.+)")


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

    @classmethod
    def read(cls, text: str) -> "FieldProblem | None":
        """Return the problem that was said so, or None if the text says none in this form."""
        found = _SAID.fullmatch(text)
        return None if found is None else cls(*found.groups())

    def described(self) -> dict[str, str]:
        """Return it for scripts."""
        return {"field": self.path, "problem": self.problem, "remedy": self.remedy}


class InvalidEvent(EventError):
    """A document that is not an event of its subject; every problem on a line of its own, no value echoed."""

    def __init__(self, problems: Iterable[FieldProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def because(cls, path: str, problem: str, remedy: str) -> "InvalidEvent":
        """The error for a single problem."""
        return cls([FieldProblem(path, problem, remedy)])


class UnknownSubject(EventError):
    """A name the catalogue does not hold; it names the closest ones it does."""

    def __init__(self, name: str, close: Iterable[str]) -> None:
        self.close = tuple(close)
        hint = f"did you mean {' or '.join(self.close)}?" if self.close else "keyfleet events lists all"
        super().__init__(f"unknown subject {name[:120]!r}: {hint}")


class CrossTenant(EventError):
    """An event of one tenant met state of another (B §6); the ids stay out of the message."""
