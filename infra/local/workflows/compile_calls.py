"""Compiles calls of library functions and subworkflows, after checking name and arguments."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from infra.local.workflows.compiled import Code, CompiledRoutine, combine, constant
from infra.local.workflows.execution import DEPTH, EXECUTION, FIBER, Frame, Invoke
from infra.local.workflows.library.catalogue import FUNCTIONS, REFUSED
from infra.local.workflows.library.function import Function, Style
from infra.local.workflows.report import suggestion
from infra.local.workflows.site import Site


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters a function takes, in order."""

    names: tuple[str, ...]
    required: int


def signature_of(callee: Function | CompiledRoutine) -> Signature:
    """The parameters of a library function or a subworkflow."""
    if isinstance(callee, CompiledRoutine):
        return Signature(callee.names, callee.required)
    return Signature(
        tuple(each.name for each in callee.parameters), sum(each.required for each in callee.parameters)
    )


def find_callee(name: str, site: Site, line: int) -> Function | CompiledRoutine | None:
    """The function of this name, or None with the problem reported."""
    if name in site.routines:
        return site.routines[name]
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    for prefix, remedy in REFUSED.items():
        if name.startswith(prefix):
            site.problem(line, f"{name} is not supported", remedy)
            return None
    site.problem(line, f'there is no function "{name}"', suggestion(name, [*site.routines, *FUNCTIONS]))
    return None


def call_in_expression(name: str, arguments: Sequence[Code], site: Site, line: int) -> Code:
    """A call with arguments by position, inside `${...}`."""
    callee = find_callee(name, site, line)
    if callee is None:
        return constant(None)
    if isinstance(callee, Function) and callee.blocks:
        site.problem(
            line, f"{name} is a blocking call and stands in an expression", "Call it in a step of its own"
        )
    return by_position(callee, arguments, site, line)


def by_position(callee: Function | CompiledRoutine, arguments: Sequence[Code], site: Site, line: int) -> Code:
    """A call whose arguments come in the order of the parameters."""
    signature = signature_of(callee)
    if not signature.required <= len(arguments) <= len(signature.names):
        site.problem(
            line,
            f"{callee.name} takes {_count(signature)}, {len(arguments)} given",
            f"Its parameters: {_listed(signature)}",
        )
        return constant(None)
    return _invocation(callee, list(arguments))


def by_name(callee: Function | CompiledRoutine, arguments: dict[str, Code], site: Site, line: int) -> Code:
    """A call whose arguments carry their names."""
    signature = signature_of(callee)
    for name in arguments.keys() - set(signature.names):
        site.problem(line, f'{callee.name} has no parameter "{name}"', _remedy(name, signature))
    for name in signature.names[: signature.required]:
        if name not in arguments:
            site.problem(line, f'{callee.name} needs the argument "{name}"', f'Add "{name}:" to args')
    defaults = dict(zip(signature.names[signature.required :], _defaults(callee), strict=True))
    filled = [arguments.get(name, constant(defaults.get(name))) for name in signature.names]
    return _invocation(callee, filled)


def _remedy(name: str, signature: Signature) -> str:
    return suggestion(name, signature.names) if signature.names else "Remove it: there are no parameters"


def _defaults(callee: Function | CompiledRoutine) -> tuple[Any, ...]:
    if isinstance(callee, CompiledRoutine):
        return callee.defaults[callee.required :]
    return tuple(each.default for each in callee.parameters if not each.required)


def _count(signature: Signature) -> str:
    most = len(signature.names)
    if signature.required == most:
        return f"{most} argument{'s' * (most != 1)}"
    return f"{signature.required} to {most} arguments"


def _listed(signature: Signature) -> str:
    return ", ".join(signature.names) or "none"


def _invocation(callee: Function | CompiledRoutine, arguments: list[Code]) -> Code:
    if isinstance(callee, CompiledRoutine):
        return _started(callee, arguments)
    missing = callee.parameters[len(arguments) :]
    filled = [*arguments, *(constant(each.default) for each in missing)]
    return _BY_STYLE[callee.style](callee.body, filled)


def _started(routine: CompiledRoutine, arguments: list[Code]) -> Code:
    values_of = combine(arguments, lambda *values: values).as_effect()

    def run(frame: Frame) -> Generator[Any, Any, Any]:
        values = yield from values_of(frame)
        return (yield Invoke(routine.start(frame[EXECUTION], frame[FIBER], frame[DEPTH] + 1, values)))

    return Code(effect=run)


def _ambient(body: Callable[..., Any], arguments: list[Code]) -> Code:
    return combine([Code(lambda frame: frame[EXECUTION]), *arguments], body)


def _statement(body: Callable[..., Any], arguments: list[Code]) -> Code:
    return combine([Code(lambda frame: frame[EXECUTION]), Code(lambda frame: frame[FIBER]), *arguments], body)


def _operation(body: Callable[..., Any], arguments: list[Code]) -> Code:
    routine_of = _statement(body, arguments).as_effect()

    def run(frame: Frame) -> Generator[Any, Any, Any]:
        routine = yield from routine_of(frame)
        return (yield from routine)

    return Code(effect=run)


_BY_STYLE = {
    Style.PURE: lambda body, arguments: combine(arguments, body),
    Style.AMBIENT: _ambient,
    Style.STATEMENT: _statement,
    Style.OPERATION: _operation,
}
