"""Reads a whole file: its routines and their parameters."""

from typing import Any

from infra.local.workflows.fields import Fields, read_fields, read_items, read_single
from infra.local.workflows.model import Parameter, RoutineModel
from infra.local.workflows.reading import read_steps
from infra.local.workflows.report import Report
from infra.local.workflows.source import Listing, Mapped, Node, Scalar
from infra.local.workflows.templates import is_variable, read_template, read_variable


def read_document(root: Node, report: Report) -> tuple[RoutineModel, ...]:
    """The routines of a file: a step list is main alone."""
    if isinstance(root, Listing):
        return (RoutineModel("main", (), read_steps(root, "the file", report), root.line),)
    if not isinstance(root, Mapped):
        report.add(
            root.line, "the file is neither a list of steps nor a map of subworkflows", "Start with main:"
        )
        return ()
    if all(entry.key != "main" for entry in root.entries):
        report.add(root.line, "the file has no main", 'Add "main:" with its steps')
    return tuple(_routine(entry.key, entry.line, entry.node, report) for entry in root.entries)


def _routine(name: str, line: int, node: Node, report: Report) -> RoutineModel:
    if not is_variable(name):
        report.add(
            line,
            f'"{name}" is not a subworkflow name',
            "Use letters, digits and _, not starting with a digit",
        )
    fields = read_fields(node, f'subworkflow "{name}"', report)
    if fields is None:
        return RoutineModel(name, (), (), line)
    fields.allow({"params", "steps"})
    steps = fields.need("steps")
    parameters = _parameters(fields, name)
    return RoutineModel(name, parameters, read_steps(steps, fields.what, report) if steps else (), line)


def _parameters(fields: Fields, routine: str) -> tuple[Parameter, ...]:
    node = fields.get("params")
    if node is None or (isinstance(node, Listing) and not node.items):
        return ()
    parameters = tuple(_parameter(item, fields.report) for item in read_items(node, "params", fields.report))
    _check_parameters(parameters, routine, node.line, fields.report)
    return parameters


def _check_parameters(parameters: tuple[Parameter, ...], routine: str, line: int, report: Report) -> None:
    names = [parameter.name for parameter in parameters]
    if len(set(names)) < len(names):
        report.add(line, f'two parameters of "{routine}" have the same name', "Rename one of them")
    if [parameter.required for parameter in parameters] != sorted(
        (p.required for p in parameters), reverse=True
    ):
        report.add(
            line,
            "a parameter without a default follows one with a default",
            "Put parameters with defaults last",
        )
    if routine == "main" and len(parameters) > 1:
        report.add(line, "main takes one parameter, the whole argument", "Keep one, and read its keys")


def _parameter(node: Node, report: Report) -> Parameter:
    if not isinstance(node, Mapped):
        return Parameter(read_variable(node, "parameter", report), required=True, default=None)
    pair = read_single(node, "a parameter", report)
    if pair is None:
        return Parameter("_", required=True, default=None)
    name, line, value = pair
    return Parameter(
        read_variable(Scalar(name, line), "parameter", report),
        required=False,
        default=_default(value, report),
    )


def _default(node: Node, report: Report) -> Any:
    template = read_template(node, report)
    constant = getattr(template, "value", None)
    if not hasattr(template, "value"):
        report.add(
            node.line,
            "the default of a parameter is computed",
            "Use a constant, and compute inside the steps",
        )
    return constant
