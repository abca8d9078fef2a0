"""How functions, their descriptors and the workflows fit together."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from infra.local.workflows.errors import WorkflowRefused
from infra.local.workflows.program import load
from infra.manifest.load import ManifestRefused
from infra.manifest.model import OPERATOR, PUSHER, SCHEDULER, TASKS, Deployable
from infra.manifest.triggers import ServiceTrigger
from tests.architecture.tree import Tree

PARTS = ("__init__.py", "fleet.yaml", "main.py")
PLATFORM = {OPERATOR, PUSHER, SCHEDULER, TASKS}
CALLED = re.compile(r"""\+ "/([a-z][a-z0-9-]{5,27})["/]""")
SERVED = {
    "adapter": {"http internal"},
    "api": {"http people"},
    "page": {"http public"},
    "public": {"http public"},
    "service": {"service internal", "service people", "service public"},
    "step": {"http internal", "QueueTrigger", "ScheduleTrigger"},
    "subscriber": {"TopicTrigger", "TopicsTrigger"},
    "taker": {"TopicTrigger", "TopicsTrigger"},
    "webhook": {"http public"},
}
"""Which triggers each kind of entry serves: a step that anybody may call has nobody to judge its callers."""
SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def families_are_whole(tree: Tree) -> Iterator[str]:
    """A family is its code and its descriptor."""
    for family in tree.folders("functions"):
        for part in PARTS:
            if f"functions/{family}/{part}" not in tree.files:
                yield f"functions/{family}/{part} is missing"


def manifests_load(tree: Tree) -> Iterator[str]:
    """Every fleet.yaml can be deployed."""
    if isinstance(tree.manifest, ManifestRefused):
        yield str(tree.manifest)


def entry_points_are_described(tree: Tree) -> Iterator[str]:
    """What fleet.yaml names exists in main.py, and what main.py offers stands in fleet.yaml."""
    if isinstance(tree.manifest, ManifestRefused):
        return
    described = {(function.family, function.entry_point) for function in tree.manifest.functions.values()}
    present = {(family, name) for family in tree.folders("functions") for name in _entry_points(tree, family)}
    for family, name in sorted(described - present):
        yield f"functions/{family}/main.py: no entry point {name}, which fleet.yaml names"
    for family, name in sorted(present - described):
        yield f"functions/{family}/fleet.yaml: {name} of main.py is not described"


def entries_fit_their_triggers(tree: Tree) -> Iterator[str]:
    """An entry judges its callers in one way, and its descriptor lets in just those."""
    if isinstance(tree.manifest, ManifestRefused):
        return
    for function in tree.manifest.functions.values():
        kind = _entry_points(tree, function.family).get(function.entry_point)
        trigger = _trigger(function.deployable)
        if kind is not None and trigger not in SERVED.get(kind, set()):
            yield f"functions/{function.family}/main.py: {function.name}: @{kind} serves no {trigger}"


def callers_exist(tree: Tree) -> Iterator[str]:
    """Whoever may call is a function, a workflow or the platform itself."""
    if isinstance(tree.manifest, ManifestRefused):
        return
    functions = tree.manifest.functions
    workflows = {_identity(path) for path in _workflows(tree)}
    for function in functions.values():
        for caller in function.deployable.callers:
            if caller not in PLATFORM | workflows | functions.keys():
                yield f"functions/{function.family}/fleet.yaml: {function.name}: no such caller as {caller}"


def workflows_load(tree: Tree) -> Iterator[str]:
    """A saga's file carries its name, and the embedded cloud can run it."""
    for path in _workflows(tree):
        if not SNAKE_CASE.fullmatch(PurePosixPath(path).stem):
            yield f"{path}: name it in snake_case"
        try:
            load(tree.texts[path], path)
        except WorkflowRefused as refusal:
            yield str(refusal)


def workflows_may_call_what_they_call(tree: Tree) -> Iterator[str]:
    """A saga's every function exists and names it among its callers."""
    if isinstance(tree.manifest, ManifestRefused):
        return
    functions = tree.manifest.functions
    for path in _workflows(tree):
        for name in sorted(set(CALLED.findall(tree.texts[path]))):
            if name not in functions:
                yield f"{path}: no function {name}: describe it in a fleet.yaml"
            elif _identity(path) not in functions[name].allowed():
                yield f"{path}: add {_identity(path)} to the callers of {name}"


def _identity(workflow: str) -> str:
    return f"workflow-{PurePosixPath(workflow).stem.replace('_', '-')}"


def _workflows(tree: Tree) -> list[str]:
    return [path for path in tree.files if path.startswith("workflows/") and path.endswith((".yaml", ".yml"))]


def _entry_points(tree: Tree, family: str) -> dict[str, str]:
    """Return the entry points of a family, each with its decorator."""
    module = tree.modules.get(f"functions/{family}/main.py", ast.Module([], []))
    functions = (node for node in module.body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef))
    return {node.name: _name(node.decorator_list[0]) for node in functions if node.decorator_list}


def _name(decorator: ast.expr) -> str:
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)


def _trigger(deployable: Deployable) -> str:
    if deployable.exposure is None:
        return type(deployable.trigger).__name__
    kind = "service" if isinstance(deployable.trigger, ServiceTrigger) else "http"
    return f"{kind} {deployable.exposure}"


RULES = {
    "Function families are whole": families_are_whole,
    "Manifests load": manifests_load,
    "Entry points and descriptors agree": entry_points_are_described,
    "Entries fit their triggers": entries_fit_their_triggers,
    "Callers exist": callers_exist,
    "Workflows are named in snake_case and load": workflows_load,
    "Workflows may call what they call": workflows_may_call_what_they_call,
}
