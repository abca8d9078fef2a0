"""Compiles assignments: to variables of this frame or of a frame around it, and into maps and lists."""

from collections.abc import Generator
from typing import Any

from infra.local.workflows.compile_values import compile_expression, compile_template
from infra.local.workflows.compiled import NOTHING, Code, Plain, combine, in_order
from infra.local.workflows.errors import type_error
from infra.local.workflows.execution import AROUND, EXECUTION, Frame, store
from infra.local.workflows.expressions import Name
from infra.local.workflows.model import Assign, Target, Template
from infra.local.workflows.operators import check_key, item, position
from infra.local.workflows.report import suggestion
from infra.local.workflows.scope import Variable
from infra.local.workflows.site import Site
from infra.local.workflows.values import SCALARS, kind_of


def compile_assign(action: Assign, site: Site) -> Code:
    """All assignments of a step, in order."""
    parts = [_assignment(target, template, site) for target, template in action.items]
    further = len(parts) - 1
    if further > 0:
        parts.append(Code(_count_assignments(further)))
    return in_order(parts) if parts else NOTHING


def _count_assignments(further: int) -> Plain:
    def count(frame: Frame) -> None:
        frame[EXECUTION].further_assignments += further

    return count


def _assignment(target: Target, template: Template, site: Site) -> Code:
    value = compile_template(template, site)
    variable = writable(target.variable, target.line, site)
    if variable is None:
        return NOTHING
    if not target.path:
        return write(variable, value, site)
    path = [compile_expression(each, site, target.line) for each in target.path]
    container = compile_expression(Name(target.variable, 1), site, target.line)
    return write(variable, combine([value, *path, container], _placed), site)


def _placed(value: Any, *path_and_container: Any) -> Any:
    """The container is read last, so that no other branch can change it before it is written back."""
    *path, container = path_and_container
    return _replaced(value, container, *path)


def _replaced(value: Any, container: Any, *path: Any) -> Any:
    """A copy of the container with the value at the end of the path; maps on the way are made as needed."""
    key, rest = path[0], path[1:]
    if rest:
        value = _replaced(value, _inner(container, key), *rest)
    if type(container) is dict:
        check_key(key)
        return {**container, key: value}
    if type(container) is not list:
        raise type_error(f"cannot assign into a value of type {kind_of(container)}")
    at = position(container, key)
    return [*container[:at], value, *container[at + 1 :]]


def _inner(container: Any, key: Any) -> Any:
    """What stands at a key on the way of a path: a new map, where a map has nothing there."""
    if type(container) is dict:
        check_key(key)
        return container.get(key, {})
    return item(container, key)


def writable(name: str, line: int, site: Site) -> Variable | None:
    """The variable to write to, or None with the problem reported."""
    variable = site.scope.find(name)
    if variable is None:
        site.problem(
            line,
            f"symbol '{name}' is neither a variable nor a sub-workflow name",
            suggestion(name, site.scope.names()) if site.scope.names() else "Assign the whole variable first",
        )
    elif not site.scope.may_write(name):
        site.problem(
            line,
            f'variable "{name}" of the steps around is written to without being shared',
            f'Add "{name}" to shared',
        )
    return variable


def write(variable: Variable, value: Code, site: Site) -> Code:
    """Puts a value into a variable."""
    hops, slot = site.scope.layout.depth - variable.layout.depth, variable.slot
    if value.plain is not None:
        return Code(_write_here(slot, value.plain) if hops == 0 else _write_around(hops, slot, value.plain))
    compute = value.as_effect()

    def run(frame: Frame) -> Generator[Any, Any, None]:
        result = yield from compute(frame)
        store(_around(frame, hops), slot, result)

    return Code(effect=run)


def _write_here(slot: int, compute: Plain) -> Plain:
    def run(frame: Frame) -> None:
        value = compute(frame)
        if type(value) in SCALARS:
            frame[slot] = value
        else:
            frame[EXECUTION].keep(frame, slot, value)

    return run


def _write_around(hops: int, slot: int, compute: Plain) -> Plain:
    def run(frame: Frame) -> None:
        value = compute(frame)
        store(_around(frame, hops), slot, value)

    return run


def _around(frame: Frame, hops: int) -> Frame:
    for _ in range(hops):
        frame = frame[AROUND]
    return frame
