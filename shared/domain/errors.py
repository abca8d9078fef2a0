"""What can go wrong in the domain, said so that somebody can act on it."""

from collections.abc import Iterable
from typing import Self


class DomainError(Exception):
    """The root of every error the domain raises."""


class InvalidInput(DomainError, ValueError):
    """A value that cannot be accepted: which field, what is wrong, what to do. It never repeats the value."""

    def __init__(self, field: str, problem: str, remedy: str) -> None:
        super().__init__(field, problem, remedy)
        self.field = field
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}. {self.remedy}"

    def at(self, field: str) -> Self:
        """Return the same complaint about another field name."""
        return type(self)(field, self.problem, self.remedy)

    def within(self, path: str) -> Self:
        """Return the same complaint about a field, or a place in a list, inside `path`."""
        if not path:
            return self
        return self.at(path + self.field if self.field[:1] in ("", "[") else f"{path}.{self.field}")


class InvalidId(InvalidInput):
    """An id of the wrong shape."""


class UnknownSchemaVersion(InvalidInput):
    """A document of a schema version this code cannot read."""


class IllegalTransition(DomainError):
    """A command that the present state does not take; nothing was changed."""

    def __init__(self, state: str, command: str, allowed: Iterable[str]) -> None:
        self.state = state
        self.command = command
        self.allowed = tuple(allowed)
        super().__init__(state, command, self.allowed)

    def __str__(self) -> str:
        taken = ", ".join(self.allowed) or "no command, it is final"
        return f"{self.command} is not possible in state {self.state}, which takes: {taken}"


class PlanExhausted(DomainError):
    """There is nothing left to try for this credential."""
