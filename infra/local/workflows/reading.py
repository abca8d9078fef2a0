"""Reads lists of steps and the actions that hold further steps, checking their shape on the way."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Final

from infra.local.workflows import limits
from infra.local.workflows.fields import Fields, read_fields, read_items, read_name, read_single
from infra.local.workflows.model import (
    Action,
    Branch,
    Case,
    Except,
    For,
    Nested,
    Nothing,
    Parallel,
    Step,
    Switch,
    Try,
)
from infra.local.workflows.policies import check_exception_policy, read_limit, read_loop_source, read_retry
from infra.local.workflows.report import Report, suggestion
from infra.local.workflows.simple_actions import read_assign, read_call, read_raise, read_return
from infra.local.workflows.source import Listing, Node, Scalar
from infra.local.workflows.templates import expression_text, read_template, read_variable

_COMPANIONS: Final = ("args", "result", "retry", "except", "next")
_OWNERS: Final[Mapping[str, str]] = MappingProxyType(
    {"args": "call", "result": "call", "retry": "try", "except": "try"}
)
_NO_NEXT: Final = frozenset({"raise", "return"})


def read_steps(node: Node, what: str, report: Report) -> tuple[Step, ...]:
    """A list of single-key maps, each a step."""
    items = read_items(node, f"the steps of {what}", report)
    steps = (_step(item, report) for item in items)
    return tuple(step for step in steps if step is not None)


def _step(node: Node, report: Report) -> Step | None:
    pair = read_single(node, "a step", report)
    if pair is None:
        return None
    name, line, body = pair
    if not name.strip():
        report.add(line, f'"{name}" is not a step name', "Give the step a name of letters, digits and _")
    fields = read_fields(body, f'step "{name}"', report)
    if fields is None:
        return None
    action = _action(fields, extra=(), may_be_empty="next" in fields)
    return Step(name, action, read_name(fields.get("next"), "next", report), line)


def _action(fields: Fields, extra: Collection[str], *, may_be_empty: bool) -> Action:
    fields.allow({*_READERS, *_COMPANIONS, *extra})
    found = [key for key in _READERS if key in fields]
    if len(found) > 1:
        fields.report.add(
            fields.line, f"{fields.what} does {' and '.join(found)} at once", "Give each its own step"
        )
    if not found:
        if not may_be_empty:
            fields.report.add(
                fields.line, f"{fields.what} does nothing", suggestion("", _READERS) + " as its key"
            )
        return Nothing()
    _check_companions(fields, found[0])
    return _READERS[found[0]](fields.nodes[found[0]], fields)


def _check_companions(fields: Fields, action: str) -> None:
    for key, owner in _OWNERS.items():
        if key in fields and action != owner:
            fields.report.add(
                fields.lines[key], f'{fields.what} has "{key}", which belongs to {owner}', "Remove it"
            )
    if action in _NO_NEXT and "next" in fields:
        fields.report.add(fields.lines["next"], f"nothing can follow {action}", "Remove next")


def _switch(node: Node, fields: Fields) -> Switch:
    items = read_items(node, "switch", fields.report)
    if len(items) > limits.CONDITIONS_PER_SWITCH:
        fields.report.add(
            node.line,
            f"{len(items)} conditions in one switch; {limits.CONDITIONS_PER_SWITCH} are allowed",
            "Chain two switch steps",
        )
    cases = (_case(item, fields.report) for item in items)
    return Switch(tuple(case for case in cases if case is not None))


def _case(node: Node, report: Report) -> Case | None:
    fields = read_fields(node, "a switch condition", report)
    condition = fields.need("condition") if fields else None
    if fields is None or condition is None:
        return None
    if (
        isinstance(condition, Scalar)
        and not isinstance(condition.value, bool)
        and expression_text(str(condition.value)) is None
    ):
        report.add(
            condition.line,
            "a condition is neither an expression nor true or false",
            "Write condition: ${...}",
        )
    action = _action(fields, ("condition",), may_be_empty=True)
    if isinstance(action, Nothing) and "next" not in fields:
        report.add(
            fields.line, "a switch condition leads nowhere", "Add next, steps, assign, call, return or raise"
        )
    return Case(
        read_template(condition, report), action, read_name(fields.get("next"), "next", report), fields.line
    )


def _for(node: Node, fields: Fields) -> For:
    inner = read_fields(node, "for", fields.report)
    if inner is None:
        return For("_", None, read_template(Scalar([], node.line), fields.report), False, (), node.line)
    inner.allow({"value", "index", "in", "range", "steps"})
    if ("in" in inner) == ("range" in inner):
        fields.report.add(inner.line, 'for needs either "in" or "range"', "Keep one of the two")
    value, index, steps = inner.need("value"), inner.get("index"), inner.need("steps")
    return For(
        read_variable(value, "value", fields.report) if value else "_",
        read_variable(index, "index", fields.report) if index else None,
        read_loop_source(inner),
        "range" in inner,
        read_steps(steps, "for", fields.report) if steps else (),
        inner.line,
    )


def _parallel(node: Node, fields: Fields) -> Parallel:
    inner = read_fields(node, "parallel", fields.report)
    if inner is None:
        return Parallel((), None, (), None, node.line)
    inner.allow({"branches", "for", "shared", "concurrency_limit", "exception_policy"})
    if ("branches" in inner) == ("for" in inner):
        fields.report.add(inner.line, 'parallel needs either "branches" or "for"', "Keep one of the two")
    check_exception_policy(inner)
    limit, loop = inner.get("concurrency_limit"), inner.get("for")
    return Parallel(
        _shared(inner),
        read_limit(limit, fields.report) if limit else None,
        _branches(inner),
        _for(loop, inner) if loop else None,
        inner.line,
    )


def _shared(fields: Fields) -> tuple[str, ...]:
    node = fields.get("shared")
    if isinstance(node, Listing) and not node.items:
        return ()
    return tuple(
        read_variable(item, "shared", fields.report) for item in read_items(node, "shared", fields.report)
    )


def _branches(fields: Fields) -> tuple[Branch, ...]:
    node = fields.get("branches")
    items = read_items(node, "branches", fields.report)
    if len(items) > limits.BRANCHES_PER_STEP:
        fields.report.add(
            fields.line,
            f"{len(items)} branches; {limits.BRANCHES_PER_STEP} are allowed",
            "Use a parallel for loop",
        )
    branches = tuple(branch for item in items if (branch := _branch(item, fields.report)))
    names = [branch.name for branch in branches]
    for branch in branches:
        if names.count(branch.name) > 1:
            fields.report.add(branch.line, f'two branches are called "{branch.name}"', "Rename one of them")
    return branches


def _branch(node: Node, report: Report) -> Branch | None:
    pair = read_single(node, "a branch", report)
    if pair is None:
        return None
    name, line, body = pair
    fields = read_fields(body, f'branch "{name}"', report)
    steps = fields.need("steps") if fields else None
    if fields is None or steps is None:
        return None
    fields.allow({"steps"})
    return Branch(name, read_steps(steps, fields.what, report), line)


def _try(node: Node, fields: Fields) -> Try:
    retry, handler = fields.get("retry"), fields.get("except")
    if retry is None and handler is None:
        fields.report.add(node.line, "try has neither retry nor except", "Add one of them, or remove try")
    return Try(
        _body(node, "try", fields.report, ()),
        read_retry(retry, fields.report) if retry else None,
        _except(handler, fields.report) if handler else None,
    )


def _body(node: Node, what: str, report: Report, extra: Collection[str]) -> Action:
    fields = read_fields(node, what, report)
    if fields is None:
        return Nothing()
    if "next" in fields:
        report.add(
            fields.lines["next"],
            f"{what} has next inside its block",
            "Put next beside try, or into a step of its steps",
        )
    return _action(fields, extra, may_be_empty=False)


def _except(node: Node, report: Report) -> Except | None:
    fields = read_fields(node, "except", report)
    variable = fields.need("as") if fields else None
    if fields is None or variable is None:
        return None
    return Except(read_variable(variable, "as", report), _body(node, "except", report, ("as",)), fields.line)


def _nested(node: Node, fields: Fields) -> Nested:
    return Nested(read_steps(node, fields.what, fields.report))


_READERS: Final[Mapping[str, Callable[[Node, Fields], Action]]] = MappingProxyType(
    {
        "assign": read_assign,
        "call": read_call,
        "for": _for,
        "parallel": _parallel,
        "raise": read_raise,
        "return": read_return,
        "steps": _nested,
        "switch": _switch,
        "try": _try,
    }
)
