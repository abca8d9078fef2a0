"""Compiles the actions of steps."""

from collections.abc import Callable, Generator, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from infra.local.workflows.blocks import compile_block
from infra.local.workflows.compile_assign import compile_assign, writable, write
from infra.local.workflows.compile_calls import by_name, by_position, find_callee
from infra.local.workflows.compile_loops import compile_for, compile_parallel
from infra.local.workflows.compile_tries import compile_try
from infra.local.workflows.compile_values import compile_template
from infra.local.workflows.compiled import NOTHING, Code, Course, Plain, Returned, combine
from infra.local.workflows.errors import RaisedError, type_error
from infra.local.workflows.execution import Frame
from infra.local.workflows.model import (
    Action,
    Assign,
    CallStep,
    For,
    Nested,
    Nothing,
    Parallel,
    Raise,
    Return,
    Switch,
    Try,
)
from infra.local.workflows.operators import truth
from infra.local.workflows.site import Site
from infra.local.workflows.values import kind_of


def compile_action(action: Action, site: Site) -> Code:
    """The code of one action; its value is the course it takes."""
    return _COMPILERS[type(action)](action, site)


def _call(action: CallStep, site: Site) -> Code:
    named = {name: compile_template(template, site) for name, template in action.named}
    positional = [compile_template(template, site) for template in action.positional]
    variable = writable(action.result, action.line, site) if action.result else None
    callee = find_callee(action.function, site, action.line)
    if callee is None:
        return NOTHING
    if positional:
        code = by_position(callee, positional, site, action.line)
    else:
        code = by_name(callee, named, site, action.line)
    return combine([code], lambda _: None) if variable is None else write(variable, code, site)


def _raise(action: Raise, site: Site) -> Code:
    return combine([compile_template(action.error, site)], _throw)


def _throw(error: Any) -> None:
    if type(error) not in {str, dict, bool}:
        raise type_error(f"raise takes a string, a map or a boolean, not {kind_of(error)}")
    raise RaisedError(error)


def _return(action: Return, site: Site) -> Code:
    if site.in_branch:
        site.problem(
            action.line,
            "return inside a parallel step",
            "Assign the value to a shared variable, and return after the step",
        )
    return combine([compile_template(action.value, site)], Returned)


def _nested(action: Nested, site: Site) -> Code:
    return Code(effect=compile_block(action.steps, site, "nested").run)


def _nothing(_: Nothing, __: Site) -> Code:
    return NOTHING


def _switch(action: Switch, site: Site) -> Code:
    cases: list[tuple[Code, Code, Course]] = [
        (
            combine([compile_template(case.condition, site)], lambda value: truth(value, "condition")),
            compile_action(case.action, site),
            None if case.next is None else site.target(case.next, case.line),
        )
        for case in action.cases
    ]
    plains = [
        (condition.plain, code.plain, then)
        for condition, code, then in cases
        if condition.plain is not None and code.plain is not None
    ]
    return Code(_plain_switch(plains)) if len(plains) == len(cases) else Code(effect=_effect_switch(cases))


def _plain_switch(cases: Iterable[tuple[Plain, Plain, Course]]) -> Plain:
    def run(frame: Frame) -> Course:
        for condition, act, then in cases:
            if condition(frame):
                course: Course = act(frame)
                return then if course is None else course
        return None

    return run


def _effect_switch(
    cases: Iterable[tuple[Code, Code, Course]],
) -> Callable[[Frame], Generator[Any, Any, Course]]:
    effects = [(condition.as_effect(), code.as_effect(), then) for condition, code, then in cases]

    def run(frame: Frame) -> Generator[Any, Any, Course]:
        for condition, act, then in effects:
            if (yield from condition(frame)):
                course: Course = yield from act(frame)
                return then if course is None else course
        return None

    return run


_COMPILERS: Final[Mapping[type, Callable[[Any, Site], Code]]] = MappingProxyType(
    {
        Assign: compile_assign,
        CallStep: _call,
        For: compile_for,
        Nested: _nested,
        Nothing: _nothing,
        Parallel: compile_parallel,
        Raise: _raise,
        Return: _return,
        Switch: _switch,
        Try: compile_try,
    }
)
