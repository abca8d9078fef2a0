"""Where the compiler stands: the scope for names, the blocks for jumps, and whom to call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from infra.local.workflows.compiled import (
    BREAK,
    CONTINUE,
    Block,
    Code,
    CompiledRoutine,
    Course,
    Jump,
    Returned,
)
from infra.local.workflows.model import Action
from infra.local.workflows.report import Report, suggestion
from infra.local.workflows.scope import Scope

RESERVED_TARGETS = frozenset({"end", "break", "continue"})


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A block being compiled, with its step names; `kind` says what its edge is."""

    block: Block
    names: Mapping[str, int]
    kind: str
    parent: "Level | None"


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """Everything the compiler needs to know at one place of the source."""

    report: Report
    routines: Mapping[str, CompiledRoutine]
    routine: str
    scope: Scope
    step_names: frozenset[str]
    compile_action: "Callable[[Action, Site], Code]"
    level: Level | None = None
    nesting: int = 0

    def inside(self, scope: Scope) -> "Site":
        """The same place with a narrower scope."""
        return replace(self, scope=scope)

    def nested_in(self, scope: Scope) -> "Site":
        """A place inside a parallel step."""
        return replace(self, scope=scope, nesting=self.nesting + 1)

    def at(self, level: Level) -> "Site":
        """The same place in an inner block."""
        return replace(self, level=level)

    def problem(self, line: int, message: str, remedy: str) -> None:
        """Report a problem of this file."""
        self.report.add(line, message, remedy)

    @property
    def in_branch(self) -> bool:
        """Whether a parallel step stands around this place."""
        level = self.level
        while level is not None:
            if level.kind in {"branch", "iteration"}:
                return True
            level = level.parent
        return False

    def target(self, name: str, line: int) -> Course:
        """Where `next: name` leads from here."""
        if name == "end":
            return self._end(line)
        if name in {"break", "continue"}:
            return self._loop_exit(name, line)
        level = self.level
        while level is not None:
            if name in level.names:
                return level.names[name] if level is self.level else Jump(level.block, level.names[name])
            level = None if level.kind in {"branch", "iteration"} else level.parent
        self._unreachable(name, line)
        return None

    def _end(self, line: int) -> Course:
        if self.in_branch:
            self.problem(line, "next: end inside a parallel step", "Let the branch run to its last step")
        return Returned(None)

    def _loop_exit(self, name: str, line: int) -> Course:
        level = self.level
        while level is not None and level.kind not in {"loop", "branch", "iteration"}:
            level = level.parent
        if level is None or level.kind == "branch":
            self.problem(line, f"next: {name} outside a for loop", "Name a step instead")
        elif level.kind == "iteration" and name == "break":
            self.problem(
                line,
                "next: break inside a parallel for loop",
                "Its iterations do not wait for each other: use continue",
            )
        return BREAK if name == "break" else CONTINUE

    def _unreachable(self, name: str, line: int) -> None:
        if name in self.step_names:
            self.problem(
                line,
                f'next leads to "{name}", which is inside another block',
                "Jump only to steps of the same block or of the blocks around it",
            )
        else:
            self.problem(
                line,
                f'next leads to "{name}", and there is no such step',
                suggestion(name, self.step_names | RESERVED_TARGETS),
            )
