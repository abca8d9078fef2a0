"""Which variable a name means: subworkflow, loop, handler and branch scopes, and the slots behind them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from infra.local.workflows.execution import FIRST_SLOT
from infra.local.workflows.model import Action, Assign, CallStep, Nested, Step, Switch, Try


@dataclass(slots=True)
class Layout:
    """The slots of one frame; a parallel branch has a frame of its own, one deeper than its parent's."""

    depth: int
    size: int = FIRST_SLOT

    def take(self) -> int:
        """A new slot."""
        self.size += 1
        return self.size - 1


@dataclass(frozen=True, slots=True)
class Variable:
    """A name bound to a slot; `line` is where it is first given a value."""

    name: str
    slot: int
    layout: Layout
    line: int


@dataclass(slots=True)
class Scope:
    """The variables one block adds to those around it; `shared` is set at the edge of a parallel step."""

    layout: Layout
    parent: "Scope | None" = None
    shared: frozenset[str] | None = None
    variables: dict[str, Variable] = field(default_factory=dict)

    def declare(self, name: str, line: int) -> Variable:
        """A new variable of this scope."""
        variable = Variable(name, self.layout.take(), self.layout, line)
        self.variables[name] = variable
        return variable

    def declare_assigned(self, steps: Iterable[Step], line: int) -> None:
        """Declare what these steps assign, unless an enclosing scope gave it a value above this line."""
        self._declare(assigned(steps), line)

    def declare_action(self, action: Action, line: int) -> None:
        """Declare what one action assigns, by the same rule."""
        self._declare(_assigned_by(action), line)

    def _declare(self, names: Iterable[tuple[str, int]], line: int) -> None:
        for name, at in names:
            outer = self.find(name)
            if outer is None or (name not in self.variables and outer.line > line):
                self.declare(name, at)

    def find(self, name: str) -> Variable | None:
        """The variable a name means here."""
        for scope in self.chain():
            if name in scope.variables:
                return scope.variables[name]
        return None

    def may_write(self, name: str) -> bool:
        """Whether every parallel step between here and the variable shares it."""
        for scope in self.chain():
            if name in scope.variables:
                return True
            if scope.shared is not None and name not in scope.shared:
                return False
        return True

    def names(self) -> set[str]:
        """Every name that means something here."""
        return {name for scope in self.chain() for name in scope.variables}

    def chain(self) -> "Iterator[Scope]":
        """This scope and those around it, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


def assigned(steps: Iterable[Step]) -> Iterator[tuple[str, int]]:
    """The variables these steps give values to, leaving out blocks with a scope of their own."""
    for step in steps:
        yield from _assigned_by(step.action)


def _assigned_by(action: Action) -> Iterator[tuple[str, int]]:
    match action:
        case Assign(items):
            yield from ((target.variable, target.line) for target, _ in items if not target.path)
        case CallStep(result=str(result), line=line):
            yield result, line
        case Nested(steps):
            yield from assigned(steps)
        case Switch(cases):
            for case in cases:
                yield from _assigned_by(case.action)
        case Try(body=body):
            yield from _assigned_by(body)
