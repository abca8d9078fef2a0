"""Reads the actions that hold no further steps: assign, call, raise and return."""

from infra.local.workflows import limits
from infra.local.workflows.fields import Fields, read_items, read_name, read_single
from infra.local.workflows.model import Assign, CallStep, Raise, Return, Target, Template
from infra.local.workflows.report import Report
from infra.local.workflows.source import Listing, Mapped, Node, Scalar
from infra.local.workflows.templates import expression_text, read_target, read_template, read_variable


def read_assign(node: Node, fields: Fields) -> Assign:
    """`assign: [target: value, ...]`"""
    empty = isinstance(node, Listing) and not node.items
    items = () if empty else read_items(node, "assign", fields.report)
    if len(items) > limits.ASSIGNMENTS_PER_STEP:
        fields.report.add(
            node.line,
            f"{len(items)} assignments in one step; {limits.ASSIGNMENTS_PER_STEP} are allowed",
            "Split the step in two",
        )
    pairs = (_assignment(item, fields.report) for item in items)
    return Assign(tuple(pair for pair in pairs if pair is not None))


def _assignment(node: Node, report: Report) -> tuple[Target, Template] | None:
    pair = read_single(node, "an assignment", report)
    if pair is None:
        return None
    key, line, value = pair
    return read_target(key, line, report), read_template(value, report)


def read_call(node: Node, fields: Fields) -> CallStep:
    """`call: function` with `args` and `result`"""
    function = read_name(node, "call", fields.report) or "_"
    if expression_text(function) is not None:
        fields.report.add(
            node.line, "call names its function by an expression", "Write the function's name itself"
        )
    named, positional = _arguments(fields.get("args"), fields.report)
    return CallStep(function, named, positional, _result(fields), node.line)


def _arguments(
    node: Node | None, report: Report
) -> tuple[tuple[tuple[str, Template], ...], tuple[Template, ...]]:
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return (), ()
    if isinstance(node, Listing):
        return (), tuple(read_template(item, report) for item in node.items)
    if isinstance(node, Mapped):
        return tuple((entry.key, read_template(entry.node, report)) for entry in node.entries), ()
    report.add(node.line, "args is not a map of arguments", "Write one name: value pair per argument")
    return (), ()


def _result(fields: Fields) -> str | None:
    node = fields.get("result")
    return None if node is None else read_variable(node, "result", fields.report)


def read_raise(node: Node, fields: Fields) -> Raise:
    """`raise: string, map or boolean`"""
    if isinstance(node, Listing) or (isinstance(node, Scalar) and not isinstance(node.value, str | bool)):
        fields.report.add(
            node.line,
            "raise takes a string, a map or a boolean",
            "Raise a message or a map describing the error",
        )
    return Raise(read_template(node, fields.report))


def read_return(node: Node, fields: Fields) -> Return:
    """`return: value`"""
    return Return(read_template(node, fields.report), node.line)
