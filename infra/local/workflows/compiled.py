"""The compiled form of a workflow: closures over frames, and blocks of steps that run them."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.workflows import limits
from infra.local.workflows.errors import Place, RaisedError, raised
from infra.local.workflows.execution import EXECUTION, FIBER, FIRST_SLOT, Execution, Fiber, Frame, store
from infra.local.workflows.values import UNSET

Plain = Callable[[Frame], Any]
Effect = Callable[[Frame], Generator[Any, Any, Any]]


@dataclass(frozen=True, slots=True)
class Code:
    """Something compiled: a plain function of the frame, or a generator when it may have to wait."""

    plain: Plain | None = None
    effect: Effect | None = None

    def as_effect(self) -> Effect:
        """A generator either way."""
        return self.effect or _lifted(self.plain or _nothing)


def _nothing(_: Frame) -> None:
    return None


NOTHING: Final = Code(_nothing)


def _lifted(plain: Plain) -> Effect:
    def effect(frame: Frame) -> Generator[Any, Any, Any]:
        yield from ()
        return plain(frame)

    return effect


def constant(value: Any) -> Code:
    """Always this value."""
    return Code(lambda _: value)


def combine(parts: Sequence[Code], apply: Callable[..., Any]) -> Code:
    """Evaluate the parts in order and apply a function to their values."""
    plains = [part.plain for part in parts if part.plain is not None]
    if len(plains) == len(parts):
        return Code(_applied(plains, apply))
    effects = [part.as_effect() for part in parts]

    def run(frame: Frame) -> Generator[Any, Any, Any]:
        values = [None] * len(effects)
        for at, effect in enumerate(effects):
            values[at] = yield from effect(frame)
        return apply(*values)

    return Code(effect=run)


def _applied(plains: list[Plain], apply: Callable[..., Any]) -> Plain:
    if len(plains) == 1:
        only = plains[0]
        return lambda frame: apply(only(frame))
    if len(plains) == 2:
        first, second = plains
        return lambda frame: apply(first(frame), second(frame))
    return lambda frame: apply(*[plain(frame) for plain in plains])


def in_order(parts: Sequence[Code]) -> Code:
    """Run parts one after the other for what they do."""
    if len(parts) == 1:
        return parts[0]
    plains = [part.plain for part in parts if part.plain is not None]
    if len(plains) == len(parts):
        return Code(_each(plains))
    effects = [part.as_effect() for part in parts]

    def run(frame: Frame) -> Generator[Any, Any, Any]:
        for effect in effects:
            yield from effect(frame)

    return Code(effect=run)


def _each(plains: list[Plain]) -> Plain:
    def run(frame: Frame) -> None:
        for plain in plains:
            plain(frame)

    return run


@dataclass(frozen=True, slots=True)
class Returned:
    """The routine ends with this value."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Jump:
    """Go on at a step of an enclosing block."""

    block: "Block"
    index: int


class _LoopExit:
    __slots__ = ()


BREAK: Final = _LoopExit()
CONTINUE: Final = _LoopExit()
# What a step or block comes to: None goes on, an int goes to that step of the same block, the rest leaves it.
Course = int | Jump | Returned | _LoopExit | None


@dataclass(frozen=True, slots=True)
class CompiledStep:
    """A step ready to run; `then` is where it leads when its action says nothing else."""

    place: Place
    code: Code
    then: Course


@dataclass(slots=True, eq=False)
class Block:
    """Steps running one after the other."""

    steps: tuple[CompiledStep, ...] = ()

    def run(self, frame: Frame) -> Generator[Any, Any, Course]:
        """Run until the end, or until a step leads out of this block."""
        execution = frame[EXECUTION]
        if execution.observer is not None:
            return (yield from self._run_watched(frame))
        steps, size, at = self.steps, len(self.steps), 0
        while at < size:
            step = steps[at]
            execution.steps += 1
            if execution.steps >= execution.alarm:
                yield from execution.ring()
            try:
                plain = step.code.plain
                course = plain(frame) if plain is not None else (yield from step.code.as_effect()(frame))
            except RaisedError as error:
                error.trace.append(step.place)
                raise
            at = self._index(step.then if course is None else course)
            if at < 0:
                return step.then if course is None else course
        return None

    def _index(self, course: Course) -> int:
        if type(course) is int:
            return course
        return course.index if type(course) is Jump and course.block is self else -1

    def _run_watched(self, frame: Frame) -> Generator[Any, Any, Course]:
        execution, at = frame[EXECUTION], 0
        while at < len(self.steps):
            step = self.steps[at]
            execution.steps += 1
            if execution.steps >= execution.alarm:
                yield from execution.ring()
            course = yield from _watched(step, frame)
            if (at := self._index(course)) < 0:
                return course
        return None


def _watched(step: CompiledStep, frame: Frame) -> Generator[Any, Any, Course]:
    observer, branch = frame[EXECUTION].observer, frame[FIBER].name
    observer.step_entered(branch, step.place)
    try:
        course = yield from step.code.as_effect()(frame)
    except RaisedError as error:
        error.trace.append(step.place)
        observer.step_failed(branch, step.place, error.payload)
        raise
    observer.step_left(branch, step.place)
    return step.then if course is None else course


@dataclass(slots=True, eq=False)
class CompiledRoutine:
    """main or a subworkflow, ready to be started."""

    name: str
    names: tuple[str, ...]
    required: int
    defaults: tuple[Any, ...]
    block: Block = field(default_factory=Block)
    slots: int = 0

    def start(
        self, execution: Execution, fiber: Fiber, depth: int, values: Sequence[Any]
    ) -> Generator[Any, Any, Any]:
        """Run with these arguments; missing ones take their defaults."""
        if depth > limits.CALL_DEPTH:
            raise raised("RecursionError", f"the call stack is deeper than {limits.CALL_DEPTH} calls")
        frame = [None, execution, fiber, depth, *[UNSET] * self.slots]
        with execution.holding(frame):
            for at, value in enumerate((*values, *self.defaults[len(values) :])):
                store(frame, FIRST_SLOT + at, value)
            course = yield from self.block.run(frame)
            return course.value if type(course) is Returned else None
