"""Compiles expressions and templates into closures over frames."""

from collections.abc import Callable, Generator, Mapping
from types import MappingProxyType
from typing import Any, Final

from infra.local.workflows.compile_calls import call_in_expression
from infra.local.workflows.compiled import Code, Plain, combine, constant
from infra.local.workflows.errors import key_error
from infra.local.workflows.execution import AROUND, Frame
from infra.local.workflows.expressions import (
    Binary,
    Call,
    Expression,
    Item,
    ListOf,
    Literal,
    Member,
    Name,
    Unary,
    dotted_name,
)
from infra.local.workflows.library.catalogue import FUNCTIONS, VALUES
from infra.local.workflows.model import Computed, Constant, ListTemplate, Template
from infra.local.workflows.operators import BINARY, check_key, invert, item, member, negate, truth
from infra.local.workflows.report import suggestion
from infra.local.workflows.site import Site
from infra.local.workflows.values import UNSET, FunctionValue


def compile_template(template: Template, site: Site) -> Code:
    """The code that builds a template's value."""
    if isinstance(template, Constant):
        return constant(template.value)
    if isinstance(template, Computed):
        return compile_expression(template.tree, site, template.line)
    if isinstance(template, ListTemplate):
        return combine(
            [compile_template(each, site) for each in template.elements], lambda *values: list(values)
        )
    parts = [compile_template(part, site) for entry in template.entries for part in entry]
    return combine(parts, _map_of)


def _map_of(*parts: Any) -> dict[str, Any]:
    keys = parts[::2]
    for key in keys:
        check_key(key)
    return dict(zip(keys, parts[1::2], strict=True))


def compile_expression(tree: Expression, site: Site, line: int) -> Code:
    """The code that evaluates an expression."""
    return _COMPILERS[type(tree)](tree, site, line)


def _literal(tree: Literal, _: Site, __: int) -> Code:
    return constant(tree.value)


def _name(tree: Name, site: Site, line: int) -> Code:
    variable = site.scope.find(tree.name)
    if variable is not None:
        return Code(read_slot(tree.name, site.scope.layout.depth - variable.layout.depth, variable.slot))
    if tree.name in site.routines:
        return constant(FunctionValue(tree.name))
    known = (site.scope.names() | set(site.routines)) - {"main"}
    site.problem(
        line,
        f"symbol '{tree.name}' is neither a variable nor a sub-workflow name",
        suggestion(tree.name, known) if known else "Assign it first",
    )
    return constant(None)


def read_slot(name: str, hops: int, slot: int) -> Plain:
    """Reads a variable this many frames out; one without a value yet is an error."""

    def here(frame: Frame) -> Any:
        value = frame[slot]
        if value is UNSET:
            raise key_error(name)
        return value

    if hops == 0:
        return here
    if hops == 1:
        return lambda frame: here(frame[AROUND])
    return lambda frame: here(frame[AROUND][AROUND])


def _member(tree: Member, site: Site, line: int) -> Code:
    name = dotted_name(tree)
    if name is not None and site.scope.find(name.partition(".")[0]) is None:
        if name in VALUES:
            return constant(VALUES[name])
        if name in FUNCTIONS:
            return constant(FunctionValue(name))
    key = tree.key
    return combine([compile_expression(tree.target, site, line)], lambda value: member(value, key))


def _item(tree: Item, site: Site, line: int) -> Code:
    return combine(
        [compile_expression(tree.target, site, line), compile_expression(tree.key, site, line)], item
    )


def _call(tree: Call, site: Site, line: int) -> Code:
    arguments = [compile_expression(each, site, line) for each in tree.arguments]
    return call_in_expression(tree.function, arguments, site, line)


def _unary(tree: Unary, site: Site, line: int) -> Code:
    apply = negate if tree.operator == "-" else invert
    return combine([compile_expression(tree.operand, site, line)], apply)


def _binary(tree: Binary, site: Site, line: int) -> Code:
    left, right = compile_expression(tree.left, site, line), compile_expression(tree.right, site, line)
    if tree.operator in {"and", "or"}:
        return _logical(tree.operator, left, right)
    return combine([left, right], BINARY[tree.operator])


def _logical(operator: str, left: Code, right: Code) -> Code:
    """The right side is evaluated only when the left one does not decide."""
    decisive = operator == "or"
    if left.plain is not None and right.plain is not None:
        first, second = left.plain, right.plain

        def plain(frame: Frame) -> bool:
            return decisive if truth(first(frame), operator) is decisive else truth(second(frame), operator)

        return Code(plain)
    before, after = left.as_effect(), right.as_effect()

    def effect(frame: Frame) -> Generator[Any, Any, Any]:
        if truth((yield from before(frame)), operator) is decisive:
            return decisive
        return truth((yield from after(frame)), operator)

    return Code(effect=effect)


def _list(tree: ListOf, site: Site, line: int) -> Code:
    return combine(
        [compile_expression(each, site, line) for each in tree.elements], lambda *values: list(values)
    )


_COMPILERS: Final[Mapping[type, Callable[[Any, Site, int], Code]]] = MappingProxyType(
    {
        Binary: _binary,
        Call: _call,
        Item: _item,
        ListOf: _list,
        Literal: _literal,
        Member: _member,
        Name: _name,
        Unary: _unary,
    }
)
