"""Loads a workflow file: the one way from source text to something a machine can run."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from infra.local.workflows import limits
from infra.local.workflows.blocks import compile_routine, declared
from infra.local.workflows.compile_steps import compile_action
from infra.local.workflows.compiled import CompiledRoutine
from infra.local.workflows.documents import read_document
from infra.local.workflows.library.catalogue import FUNCTIONS
from infra.local.workflows.model import Action, For, Nested, Parallel, RoutineModel, Step, Switch, Try
from infra.local.workflows.report import Report
from infra.local.workflows.scope import Layout, Scope
from infra.local.workflows.site import Site
from infra.local.workflows.source import parse


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A workflow ready to run, shared by any number of executions; `digest` names its revision."""

    digest: str
    filename: str
    routines: Mapping[str, CompiledRoutine]

    @property
    def main(self) -> CompiledRoutine:
        """Where executions begin."""
        return self.routines["main"]


@lru_cache(maxsize=128)
def load(source: str | bytes, filename: str) -> Program:
    """The program of a YAML or JSON source, made once, or WorkflowRefused with every problem found."""
    report = Report(filename)
    content = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    models = _read(content, report)
    report.raise_if_any()
    routines = {model.name: declared(model) for model in models}
    for model in models:
        _compile(model, routines, report)
    report.raise_if_any()
    return Program(hashlib.sha256(content).hexdigest(), filename, MappingProxyType(routines))


def _read(content: bytes, report: Report) -> tuple[RoutineModel, ...]:
    if len(content) > limits.SOURCE_BYTES:
        report.add(
            1, f"the source has {len(content)} bytes; {limits.SOURCE_BYTES} are allowed", "Split the workflow"
        )
        return ()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        report.add(1 + content[: error.start].count(b"\n"), "the source is not UTF-8", "Save it as UTF-8")
        return ()
    root = parse(text, report)
    return read_document(root, report) if root is not None else ()


def _compile(model: RoutineModel, routines: Mapping[str, CompiledRoutine], report: Report) -> None:
    steps = list(_all_steps(model.steps))
    _check_names(model, steps, report)
    names = frozenset(step.name for step in steps)
    site = Site(report, routines, model.name, Scope(Layout(0)), names, compile_action)
    compile_routine(model, routines[model.name], site)


def _check_names(model: RoutineModel, steps: Iterable[Step], report: Report) -> None:
    if model.name in FUNCTIONS:
        report.add(
            model.line, f'a subworkflow is called "{model.name}", like a library function', "Rename it"
        )
    counts = Counter(step.name for step in steps)
    for step in steps:
        if counts[step.name] > 1:
            report.add(step.line, f'"{model.name}" has two steps called "{step.name}"', "Rename one of them")


def _all_steps(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _within(step.action)


def _within(action: Action) -> Iterator[Step]:
    match action:
        case Nested(steps) | For(steps=steps):
            yield from _all_steps(steps)
        case Switch(cases):
            for case in cases:
                yield from _within(case.action)
        case Try(body, _, handler):
            yield from _within(body)
            if handler is not None:
                yield from _within(handler.body)
        case Parallel(branches=branches, loop=loop):
            for part in branches if loop is None else (loop,):
                yield from _all_steps(part.steps)
