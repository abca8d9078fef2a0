"""Reads values out of nodes: constants, `${...}` expressions, and maps and lists holding both."""

import re
from typing import Any, Final

from infra.local.workflows import limits
from infra.local.workflows.expressions import (
    RESERVED,
    Expression,
    Item,
    Literal,
    Member,
    Name,
    parse_expression,
)
from infra.local.workflows.model import Computed, Constant, ListTemplate, MapTemplate, Target, Template
from infra.local.workflows.report import Report
from infra.local.workflows.source import Listing, Mapped, Node, Scalar
from infra.local.workflows.tokens import ExpressionError
from infra.local.workflows.values import text_bytes

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def read_template(node: Node, report: Report) -> Template:
    """The value a node stands for."""
    if isinstance(node, Scalar):
        return _scalar(node, report)
    if isinstance(node, Listing):
        return _listing(node, report)
    return _mapping(node, report)


def _scalar(node: Scalar, report: Report) -> Template:
    if not isinstance(node.value, str):
        return Constant(node.value, node.line)
    inner = expression_text(node.value)
    if inner is None:
        return Constant(_short_enough(node.value, node.line, report), node.line)
    return Computed(read_expression(inner, node.line, report), node.line)


def _short_enough(text: str, line: int, report: Report) -> str:
    if text_bytes(text) > limits.STRING_BYTES:
        report.add(line, f"a string of more than {limits.STRING_BYTES} bytes", "Fetch it at run time instead")
    return text


def expression_text(text: str) -> str | None:
    """What stands between `${` and `}` when the whole scalar is an expression."""
    stripped = text.strip()
    return stripped[2:-1] if stripped.startswith("${") and stripped.endswith("}") else None


def read_expression(inner: str, line: int, report: Report) -> Expression:
    """The syntax tree, or null with the problem reported."""
    if len(inner) > limits.EXPRESSION_CHARACTERS:
        report.add(
            line,
            f"an expression of {len(inner)} characters; {limits.EXPRESSION_CHARACTERS} are allowed",
            "Assign parts of it to variables",
        )
        return Literal(None, 1)
    try:
        return parse_expression(inner)
    except ExpressionError as error:
        report.add(line, f"column {error.column} of ${{{_shortened(inner)}}}: {error.message}", error.remedy)
        return Literal(None, 1)


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}..."


def _listing(node: Listing, report: Report) -> Template:
    elements = tuple(read_template(item, report) for item in node.items)
    if all(isinstance(element, Constant) for element in elements):
        return Constant([_value(element) for element in elements], node.line)
    return ListTemplate(elements, node.line)


def _mapping(node: Mapped, report: Report) -> Template:
    entries = tuple(
        (_scalar(Scalar(entry.key, entry.line), report), read_template(entry.node, report))
        for entry in node.entries
    )
    if all(isinstance(part, Constant) for entry in entries for part in entry):
        return Constant({_value(key): _value(value) for key, value in entries}, node.line)
    return MapTemplate(entries, node.line)


def _value(template: Template) -> Any:
    return template.value if isinstance(template, Constant) else None


def read_variable(node: Node, what: str, report: Report) -> str:
    """The name of a variable, or a stand-in with the problem reported."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and is_variable(node.value):
        return node.value
    shown = f' "{node.value}"' if isinstance(node, Scalar) else ""
    report.add(
        node.line,
        f"{what}{shown} is not a variable name",
        "Use letters, digits and _, not starting with a digit, and no reserved word",
    )
    return "_"


def is_variable(name: str) -> bool:
    """Whether a name can be a variable."""
    return bool(_IDENTIFIER.match(name)) and name not in RESERVED


def read_target(key: str, line: int, report: Report) -> Target:
    """Where an assignment goes."""
    path: list[Expression] = []
    tree = read_expression(key, line, report)
    while isinstance(tree, Member | Item):
        path.append(Literal(tree.key, tree.column) if isinstance(tree, Member) else tree.key)
        tree = tree.target
    if not isinstance(tree, Name):
        report.add(
            line,
            f'cannot assign to "{_shortened(key)}"',
            'Assign to a variable, map.key, map["key"] or list[index]',
        )
        return Target("_", (), line)
    return Target(tree.name, tuple(reversed(path)), line)
