"""How functions, their descriptors and the workflows fit together."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from infra.manifest.load import Function, ManifestRefused, load_manifest
from infra.manifest.model import OPERATOR, PUSHER, SCHEDULER, TASKS
from tests.architecture.tree import Tree

PARTS = ("__init__.py", "fleet.yaml", "main.py")
PLATFORM = {OPERATOR, PUSHER, SCHEDULER, TASKS}
SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def families_are_whole(tree: Tree) -> Iterator[str]:
    """A family is its code and its descriptor."""
    for family in tree.folders("functions"):
        for part in PARTS:
            if f"functions/{family}/{part}" not in tree.files:
                yield f"functions/{family}/{part} is missing"


def manifests_load(tree: Tree) -> Iterator[str]:
    """Every fleet.yaml can be deployed."""
    try:
        load_manifest(tree.root)
    except ManifestRefused as refusal:
        yield str(refusal)


def entry_points_are_described(tree: Tree) -> Iterator[str]:
    """What fleet.yaml names exists in main.py, and what main.py offers stands in fleet.yaml."""
    functions = _functions(tree)
    if functions is None:
        return
    described = {(function.family, function.entry_point) for function in functions.values()}
    present = {(family, name) for family in tree.folders("functions") for name in _entry_points(tree, family)}
    for family, name in sorted(described - present):
        yield f"functions/{family}/main.py: no entry point {name}, which fleet.yaml names"
    for family, name in sorted(present - described):
        yield f"functions/{family}/fleet.yaml: {name} of main.py is not described"


def callers_exist(tree: Tree) -> Iterator[str]:
    """Whoever may call is a function, a workflow or the platform itself."""
    functions = _functions(tree) or {}
    workflows = {f"workflow-{PurePosixPath(path).stem.replace('_', '-')}" for path in _workflows(tree)}
    for function in functions.values():
        for caller in function.deployable.callers:
            if caller not in PLATFORM | workflows | functions.keys():
                yield f"functions/{function.family}/fleet.yaml: {function.name}: no such caller as {caller}"


def workflows_load(tree: Tree) -> Iterator[str]:
    """A saga's file carries its name and can be read."""
    for path in _workflows(tree):
        if not SNAKE_CASE.fullmatch(PurePosixPath(path).stem):
            yield f"{path}: name it in snake_case"
        try:
            document = YAML(typ="safe", pure=True).load(tree.text(path))
        except YAMLError as error:
            yield f"{path}: not YAML: {error}"
            continue
        if not isinstance(document, dict) or "main" not in document:
            yield f"{path}: no main"


def _workflows(tree: Tree) -> list[str]:
    return [path for path in tree.files if path.startswith("workflows/") and path.endswith((".yaml", ".yml"))]


def _functions(tree: Tree) -> Mapping[str, Function] | None:
    try:
        return load_manifest(tree.root).functions
    except ManifestRefused:  # that is for the rule that manifests load to say
        return None


def _entry_points(tree: Tree, family: str) -> list[str]:
    module = tree.modules.get(f"functions/{family}/main.py", ast.Module([], []))
    functions = (node for node in module.body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef))
    return [node.name for node in functions if node.decorator_list]


RULES = {
    "Function families are whole": families_are_whole,
    "Manifests load": manifests_load,
    "Entry points and descriptors agree": entry_points_are_described,
    "Callers exist": callers_exist,
    "Workflows are named in snake_case and load": workflows_load,
}
