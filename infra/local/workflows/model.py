"""A workflow file whose shape is known to be right: routines, steps and templates, names not yet resolved."""

from dataclasses import dataclass
from typing import Any

from infra.local.workflows.expressions import Expression


@dataclass(frozen=True, slots=True)
class Constant:
    """A value written out."""

    value: Any
    line: int


@dataclass(frozen=True, slots=True)
class Computed:
    """A `${...}`."""

    tree: Expression
    line: int


@dataclass(frozen=True, slots=True)
class MapTemplate:
    """A map with something computed in it; keys are templates too."""

    entries: "tuple[tuple[Template, Template], ...]"
    line: int


@dataclass(frozen=True, slots=True)
class ListTemplate:
    """A list with something computed in it."""

    elements: "tuple[Template, ...]"
    line: int


Template = Constant | Computed | MapTemplate | ListTemplate


@dataclass(frozen=True, slots=True)
class Target:
    """Where an assignment goes: a variable, or a path into one."""

    variable: str
    path: tuple[Expression, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Assign:
    """Assignments, run in order."""

    items: tuple[tuple[Target, Template], ...]


@dataclass(frozen=True, slots=True)
class CallStep:
    """A call of a subworkflow or a library function; arguments by name, or by position."""

    function: str
    named: tuple[tuple[str, Template], ...]
    positional: tuple[Template, ...]
    result: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Case:
    """One condition of a switch."""

    condition: Template
    action: "Action"
    next: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Switch:
    """Runs its first true case only."""

    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class For:
    """A loop over a list, or over a range when `source` holds its two ends."""

    value: str
    index: str | None
    source: Template
    is_range: bool
    steps: "tuple[Step, ...]"
    line: int


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch of a parallel step."""

    name: str
    steps: "tuple[Step, ...]"
    line: int


@dataclass(frozen=True, slots=True)
class Parallel:
    """Branches, or the iterations of a loop, running at the same time."""

    shared: tuple[str, ...]
    limit: Template | None
    branches: tuple[Branch, ...]
    loop: For | None
    line: int


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """A policy spelled out field by field."""

    predicate: Template
    max_retries: Template | None
    backoff: Template | None
    line: int


@dataclass(frozen=True, slots=True)
class Except:
    """What runs when the block failed for good."""

    variable: str
    body: "Action"
    line: int


@dataclass(frozen=True, slots=True)
class Try:
    """A block with a retry policy, a handler, or both."""

    body: "Action"
    retry: "RetryPolicy | Template | None"
    handler: Except | None


@dataclass(frozen=True, slots=True)
class Raise:
    """Raises a string, a map or a boolean."""

    error: Template


@dataclass(frozen=True, slots=True)
class Return:
    """Ends the routine with a value."""

    value: Template
    line: int


@dataclass(frozen=True, slots=True)
class Nested:
    """Steps grouped under one name."""

    steps: "tuple[Step, ...]"


@dataclass(frozen=True, slots=True)
class Nothing:
    """A step that only jumps."""


Action = Assign | CallStep | Switch | For | Parallel | Try | Raise | Return | Nested | Nothing


@dataclass(frozen=True, slots=True)
class Step:
    """A named step and where to go after it."""

    name: str
    action: Action
    next: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a routine, with its default if it has one."""

    name: str
    required: bool
    default: Any


@dataclass(frozen=True, slots=True)
class RoutineModel:
    """main, or a subworkflow."""

    name: str
    parameters: tuple[Parameter, ...]
    steps: tuple[Step, ...]
    line: int
