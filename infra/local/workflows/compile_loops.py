"""Compiles for loops and parallel steps."""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any

from infra.local.workflows import limits
from infra.local.workflows.blocks import compile_block
from infra.local.workflows.compile_values import compile_template
from infra.local.workflows.compiled import BREAK, CONTINUE, Code, Course, combine, constant
from infra.local.workflows.errors import raised, type_error, value_error
from infra.local.workflows.execution import (
    DEPTH,
    EXECUTION,
    FIBER,
    FIRST_SLOT,
    BranchError,
    Fiber,
    Fork,
    Frame,
    Routine,
    store,
)
from infra.local.workflows.library.function import need
from infra.local.workflows.model import Branch, For, Parallel
from infra.local.workflows.scope import Layout, Scope
from infra.local.workflows.site import Site
from infra.local.workflows.values import UNSET, kind_of


def compile_for(action: For, site: Site) -> Code:
    """A loop whose own variables start afresh with every iteration."""
    items = _items(action, site).as_effect()
    scope = Scope(site.scope.layout, site.scope)
    value, index = _declare_loop(action, site, scope)
    block = compile_block(action.steps, site.inside(scope), "loop")
    slots = tuple(variable.slot for variable in scope.variables.values())

    def run(frame: Frame) -> Generator[Any, Any, Course]:
        for at, item in enumerate((yield from items(frame))):
            for slot in slots:
                frame[slot] = UNSET
            store(frame, value, item)
            if index is not None:
                frame[index] = at
            course = yield from block.run(frame)
            if course is BREAK:
                return None
            if course is not None and course is not CONTINUE:
                return course
        return None

    return Code(effect=run)


def _declare_loop(action: For, site: Site, scope: Scope) -> tuple[int, int | None]:
    slots = []
    for name in (action.value, action.index):
        if name is not None and site.scope.find(name) is not None:
            site.problem(
                action.line,
                f'loop variable "{name}" is also a variable outside the loop',
                "Rename one of them",
            )
        slots.append(None if name is None else scope.declare(name, action.line).slot)
    scope.declare_assigned(action.steps, action.line)
    return slots[0] or 0, slots[1]


def _items(action: For, site: Site) -> Code:
    source = compile_template(action.source, site)
    return combine([source], _range if action.is_range else _listed)


def _listed(value: Any) -> Sequence[Any]:
    if type(value) is list:
        return value
    raise type_error(f"for goes over a list, not a {kind_of(value)}")


def _range(ends: Any) -> Iterable[Any]:
    if len(_listed(ends)) != 2:
        raise value_error("a range has two ends")
    first, last = (need(end, "an end of a range", int, float) for end in ends)
    return range(first, last + 1) if type(first) is type(last) is int else _double_range(first, last)


def _double_range(first: float, last: float) -> Iterable[float]:
    at = 0
    while first + at <= last:
        yield first + at
        at += 1


def compile_parallel(action: Parallel, site: Site) -> Code:
    """Branches or iterations, each in a frame and fiber of its own."""
    for name in action.shared:
        _check_shared(name, action, site)
    if site.nesting >= limits.PARALLEL_NESTING:
        site.problem(
            action.line,
            f"parallel steps nested deeper than {limits.PARALLEL_NESTING}",
            "Move the inner one out",
        )
    if action.loop is not None:
        return _parallel_for(action, action.loop, site)
    return _parallel_branches(action, site)


def _check_shared(name: str, action: Parallel, site: Site) -> None:
    if site.scope.find(name) is None:
        site.problem(
            action.line,
            f'shared variable "{name}" does not exist outside the parallel step',
            "Assign it before the step",
        )
    elif not site.scope.may_write(name):
        site.problem(
            action.line,
            f'variable "{name}" is shared here but not by the parallel step around',
            f'Add "{name}" to shared there too',
        )


def _branch_scope(action: Parallel, site: Site) -> tuple[Scope, Site]:
    layout = Layout(site.scope.layout.depth + 1)
    scope = Scope(layout, site.scope, frozenset(action.shared))
    return scope, site.nested_in(scope)


def _parallel_branches(action: Parallel, site: Site) -> Code:
    starts = [_branch(branch, action, site) for branch in action.branches]
    names = [branch.name for branch in action.branches]
    limit = _limit(action, site)

    def fork(frame: Frame, most: int) -> Fork:
        return Fork(len(starts), most, names.__getitem__, lambda at, fiber: starts[at](frame, fiber))

    return _forking([Code(lambda frame: frame), limit], fork)


def _branch(branch: Branch, action: Parallel, site: Site) -> Callable[[Frame, Fiber], Routine]:
    scope, inner = _branch_scope(action, site)
    scope.declare_assigned(branch.steps, branch.line)
    block = compile_block(branch.steps, inner, "branch")
    return lambda around, fiber: _run_branch(block.run, _branch_frame(around, fiber, scope.layout))


def _branch_frame(around: Frame, fiber: Fiber, layout: Layout) -> Frame:
    return [around, around[EXECUTION], fiber, around[DEPTH], *[UNSET] * (layout.size - FIRST_SLOT)]


def _run_branch(run: Callable[[Frame], Routine], frame: Frame) -> Routine:
    with frame[EXECUTION].holding(frame):
        yield from run(frame)


def _parallel_for(action: Parallel, loop: For, site: Site) -> Code:
    items = _items(loop, site)
    scope, inner = _branch_scope(action, site)
    value, index = _declare_loop(loop, site, scope)
    block = compile_block(loop.steps, inner, "iteration")

    def start(around: Frame, item: Any, at: int, fiber: Fiber) -> Routine:
        frame = _branch_frame(around, fiber, scope.layout)
        frame[value] = item
        if index is not None:
            frame[index] = at
        return _run_branch(block.run, frame)

    def fork(frame: Frame, found: Iterable[Any], most: int) -> Fork:
        elements = found if isinstance(found, list | range) else list(found)
        return Fork(len(elements), most, str, lambda at, fiber: start(frame, elements[at], at, fiber))

    return _forking([Code(lambda frame: frame), items, _limit(action, site)], fork)


def _limit(action: Parallel, site: Site) -> Code:
    if action.limit is None:
        return constant(limits.CONCURRENT_BRANCHES)
    return combine([compile_template(action.limit, site)], _checked_limit)


def _checked_limit(value: Any) -> int:
    if need(value, "concurrency_limit", int) < 1:
        raise value_error("concurrency_limit must be positive")
    return int(value)


def _forking(parts: list[Code], fork: Callable[..., Fork]) -> Code:
    fork_of = combine(parts, fork).as_effect()

    def run(frame: Frame) -> Generator[Any, Any, None]:
        if frame[FIBER].nesting >= limits.PARALLEL_NESTING:
            raise raised(
                "ParallelNestingError", f"parallel steps nested deeper than {limits.PARALLEL_NESTING}"
            )
        errors = yield (yield from fork_of(frame))
        if errors:
            raise _unhandled(errors)

    return Code(effect=run)


def _unhandled(errors: list[BranchError]) -> Exception:
    branches = [
        {"id": each.branch, "error": {"context": each.error.context, "payload": each.error.payload}}
        for each in errors[: limits.BRANCH_ERRORS]
    ]
    return raised(
        "UnhandledBranchError",
        "One or more branches or iterations encountered an unhandled runtime error",
        branches=branches,
        truncated=len(errors) > limits.BRANCH_ERRORS,
    )
