"""What the compiled steps of one execution share: frames, counters, limits and fibers."""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.workflows import limits
from infra.local.workflows.draws import Draws
from infra.local.workflows.errors import RaisedError, limit_error
from infra.local.workflows.observer import Observer
from infra.local.workflows.ops import Op
from infra.local.workflows.values import SCALARS, UNSET, size_of

# A frame is a list: the frame around it (for a parallel branch), its execution, its fiber, its call depth,
# then one slot per variable. Lists with fixed slots are what makes a step cheap.
Frame = list[Any]
AROUND: Final = 0
EXECUTION: Final = 1
FIBER: Final = 2
DEPTH: Final = 3
FIRST_SLOT: Final = 4

Routine = Generator[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Pause:
    """A fiber asks to be continued later: the budget of this turn is spent."""


@dataclass(frozen=True, slots=True)
class Invoke:
    """A fiber wants this routine run on top of it, and its result sent back."""

    routine: Routine


@dataclass(frozen=True, slots=True)
class Fork:
    """A fiber wants these branches run, and the list of their errors sent back."""

    size: int
    limit: int
    label: Callable[[int], str]
    start: "Callable[[int, Fiber], Routine]"


Request = Op | Pause | Invoke | Fork
PAUSE: Final = Pause()


@dataclass(slots=True)
class BranchError:
    """An error that left a branch."""

    branch: str
    error: RaisedError


@dataclass(slots=True, eq=False)
class Gang:
    """The branches of one running parallel step."""

    fork: Fork
    parent: "Fiber"
    started: int = 0
    active: int = 0
    errors: dict[int, BranchError] = field(default_factory=dict)

    @property
    def can_start(self) -> bool:
        """Whether a further branch may run now, as far as this step is concerned."""
        return self.started < self.fork.size and self.active < self.fork.limit

    @property
    def finished(self) -> bool:
        """Whether every branch has come to its end."""
        return self.started == self.fork.size and self.active == 0


@dataclass(slots=True, eq=False)
class Fiber:
    """One line of execution: the main one, or a parallel branch; `stack` holds its nested routines."""

    name: str
    nesting: int
    gang: Gang | None = None
    position: int = 0
    stack: list[Routine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Usage:
    """Steps run, and the billable ones: internal, and external (callbacks, hosts outside Google)."""

    steps: int
    internal: int
    external: int


class Execution:
    """Counters and sources of one execution, reachable from every frame."""

    def __init__(
        self,
        draws: Draws,
        environment: Mapping[str, str],
        observer: Observer | None,
        is_internal: Callable[[str], bool],
        routines: Mapping[str, Any],
    ) -> None:
        self.draws = draws
        self.environment = environment
        self.observer = observer
        self.is_internal = is_internal
        self.steps = 0
        self.alarm = limits.STEPS + 1
        self.pause_at = limits.STEPS + 1
        self.further_assignments = 0
        self.external = 0
        self.routines = routines
        self.callbacks: dict[str, str] = {}
        self.frames: dict[int, Frame] = {}
        self._headroom = limits.VARIABLE_BYTES
        self._operations = 0

    def next_operation(self) -> int:
        """The number of the next operation."""
        self._operations += 1
        return self._operations

    def grant(self, budget: int | None) -> None:
        """Allow this many further steps before a fiber has to pause."""
        self.pause_at = limits.STEPS + 1 if budget is None else self.steps + budget + 1
        self.alarm = min(self.pause_at, limits.STEPS + 1)

    def ring(self) -> Generator[Pause, None, None]:
        """What a step does when the count of steps reaches the alarm."""
        if self.steps > limits.STEPS:
            raise limit_error(f"more than {limits.STEPS} steps")
        yield PAUSE

    @property
    def usage(self) -> Usage:
        """The counts so far: every step is one, an assign step one for each of its variables."""
        billable = self.steps + self.further_assignments
        return Usage(self.steps, billable - self.external, self.external)

    def keep(self, frame: Frame, slot: int, value: Any) -> None:
        """Put a value that is not a scalar into a variable, within the memory limit."""
        self._headroom -= size_of(value)
        frame[slot] = value
        if self._headroom < 0:
            self._audit()

    @contextmanager
    def holding(self, frame: Frame) -> Iterator[None]:
        """Count a frame's variables as memory for as long as it lives."""
        self.frames[id(frame)] = frame
        try:
            yield
        finally:
            del self.frames[id(frame)]

    def _audit(self) -> None:
        used = sum(
            size_of(value)
            for frame in self.frames.values()
            for value in frame[FIRST_SLOT:]
            if value is not UNSET
        )
        if used > limits.VARIABLE_BYTES:
            raise limit_error(f"variables exceed {limits.VARIABLE_BYTES} bytes")
        self._headroom = limits.VARIABLE_BYTES - used


def store(frame: Frame, slot: int, value: Any) -> None:
    """Put a value into a variable of this frame."""
    if type(value) in SCALARS:
        frame[slot] = value
    else:
        frame[EXECUTION].keep(frame, slot, value)
