"""What can go wrong: a file we refuse, a caller's mistake, and the errors of the language itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final


class WorkflowsError(Exception):
    """The root of every error of this package."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason to refuse a file: where, what, and what to do about it."""

    file: str
    line: int
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}. {self.remedy}"


class WorkflowRefused(WorkflowsError):
    """A workflow file that cannot be run, with every problem found in it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class MachineMisusedError(WorkflowsError):
    """The driver answered an operation that is not pending, or started a machine twice."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the source a step stands."""

    routine: str
    step: str
    line: int

    def __str__(self) -> str:
        return f'in step "{self.step}", routine "{self.routine}", line: {self.line}'


@dataclass(eq=False)
class RaisedError(WorkflowsError):
    """An error travelling through a running workflow: any value that `raise` allows."""

    payload: Any = field(repr=False)
    fatal: bool = False
    trace: list[Place] = field(default_factory=list)

    @property
    def context(self) -> str:
        """The error as Google's executions show it: a summary, then where it happened, innermost first."""
        return "\n".join([_summary(self.payload), *(str(place) for place in self.trace)])


def _summary(payload: Any) -> str:
    if isinstance(payload, dict) and isinstance(payload.get("message"), str):
        return str(payload["message"])
    return f'RuntimeError: "{payload}"' if isinstance(payload, str) else "RuntimeError"


# A tag brings its more general kin along, so that either can be tested for.
_KIN: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "IndexError": ("LookupError",),
        "KeyError": ("LookupError",),
        "TimeoutError": ("OSError",),
        "ZeroDivisionError": ("ArithmeticError",),
        "UnhandledBranchError": ("RuntimeError",),
    }
)
_UNCATCHABLE: Final = frozenset({"ResourceLimitError", "SystemError"})


def raised(tag: str, message: str, **more: Any) -> RaisedError:
    """A runtime error of the language with one of the documented tags."""
    payload = {"message": message, "tags": [tag, *_KIN.get(tag, ())], **more}
    return RaisedError(payload, fatal=tag in _UNCATCHABLE)


def type_error(message: str) -> RaisedError:
    """An operation met a value of a kind it is not made for."""
    return raised("TypeError", message)


def value_error(message: str) -> RaisedError:
    """A value of the right kind that cannot be used."""
    return raised("ValueError", message)


def key_error(key: Any) -> RaisedError:
    """A map has no such key, or a variable has no value yet."""
    return raised("KeyError", f"key not found: {key}")


def index_error(message: str) -> RaisedError:
    """A position outside its list or string."""
    return raised("IndexError", message)


def limit_error(message: str) -> RaisedError:
    """A published limit is exhausted; nothing can catch this."""
    return raised("ResourceLimitError", message)
