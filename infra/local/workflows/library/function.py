"""What a library function is, and the checks its arguments share."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from infra.local.workflows.errors import type_error
from infra.local.workflows.values import KINDS, kind_of


class Style(Enum):
    """What a function needs besides its arguments, and where it may be called."""

    PURE = "its arguments only"
    AMBIENT = "the execution: time, chance, environment"
    STATEMENT = "the execution and fiber, in call steps only"
    OPERATION = "the execution and fiber, in call steps only; waits for the driver"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a library function."""

    name: str
    required: bool
    default: Any = None


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the standard library."""

    name: str
    style: Style
    parameters: tuple[Parameter, ...]
    body: Callable[..., Any]

    @property
    def blocks(self) -> bool:
        """Whether it may only stand in a call step."""
        return self.style in {Style.STATEMENT, Style.OPERATION}


def function(
    name: str, body: Callable[..., Any], /, *required: str, style: Style = Style.PURE, **optional: Any
) -> Function:
    """A function with its required parameters and the optional ones with their defaults."""
    parameters = [Parameter(each, required=True) for each in required]
    parameters += [Parameter(each, required=False, default=default) for each, default in optional.items()]
    return Function(name, style, tuple(parameters), body)


def need(value: Any, what: str, *kinds: type) -> Any:
    """The value, which must be of one of these kinds."""
    if type(value) in kinds:
        return value
    wanted = " or ".join(KINDS[kind] for kind in kinds)
    raise type_error(f"{what} must be {wanted}, not {kind_of(value)}")
