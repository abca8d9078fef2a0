"""The dependency rule: the contracts of pyproject.toml, and what import-linter cannot say."""

import ast
import sys
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache, partial
from importlib.metadata import packages_distributions
from typing import Any

from importlinter.api import read_configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.independence import IndependenceContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.tree import PRODUCT, ROOT, Tree

KINDS = {
    "forbidden": ForbiddenContract,
    "independence": IndependenceContract,
    "layers": LayersContract,
    "protected": ProtectedContract,
}
GOOGLE = {"google", "grpc"}
GOOGLES_SIDE = "infra/emulated/"
"""What plays the services is Google's side of the wire: no function loads it (decision 0205)."""
COMPANIONS = {"pydantic-core": "pydantic"}
"""Distributions that are the documented other half of a declared one."""
PURE = {"shared.domain": PRODUCT, "shared.audit": ("shared.audit", "shared.domain")}
"""Packages of the standard library only, and what of the product the rule leaves to their layer."""
GUARDS = (
    ("importlinter", "root_packages"),
    ("mypy", "packages"),
    ("hatch", "build", "targets", "wheel", "packages"),
    ("coverage", "run", "source"),
    ("ruff", "lint", "isort", "known-first-party"),
)


def contract_is_kept(tree: Tree, options: dict[str, Any]) -> Iterator[str]:
    """One contract of pyproject.toml."""
    session = {"root_packages": list(tree.packages), "include_external_packages": True}
    contract = KINDS[options["type"]](options["name"], session, options)
    if not contract.check(deepcopy(tree.graph), verbose=False).kept:
        yield "broken: lint-imports --no-cache shows who imports whom"


def pure_packages_use_the_standard_library(tree: Tree) -> Iterator[str]:
    """The domain and the audit tree run anywhere, also where a verifier has nothing but Python."""
    for importer, imported in _imports(tree):
        for package, own in PURE.items():
            known = imported in sys.stdlib_module_names or any(_inside(imported, name) for name in own)
            if _inside(importer, package) and not known:
                yield f"{importer} imports {imported}: move what needs it to a higher package"


def vendors_stay_apart(tree: Tree) -> Iterator[str]:
    """An adapter sees its vendor whole, the webhook receiver parsers, the edge agent wire codecs."""
    for importer, imported in _imports(tree):
        if not imported.startswith("shared.vendors.") or importer.startswith(("shared.", "infra.")):
            continue
        vendor, _, part = imported.removeprefix("shared.vendors.").partition(".")
        part = part.partition(".")[0]
        if not _may_see(importer, vendor, part):
            yield f"{importer} imports {imported}: call adapter-{vendor.replace('_', '-')} instead"


def _may_see(importer: str, vendor: str, part: str) -> bool:
    if _inside(importer, f"functions.adapter_{vendor}"):
        return True
    if _inside(importer, "functions.vendor_webhooks"):
        return part == "webhook"
    return _inside(importer, "edge_agent") and part == "wire"


def google_is_imported_late(tree: Tree) -> Iterator[str]:
    """A Google client costs a tenth of a second and 50 MB: whoever needs one imports it then."""
    for path in tree.product:
        if path.startswith(GOOGLES_SIDE):
            continue
        for node in _at_import(tree.modules[path]):
            if GOOGLE & {name.partition(".")[0] for name in _imported_by(node)}:
                yield f"{path}:{node.lineno}: a Google client at import: import it inside the function"


def outside_packages_are_declared(tree: Tree) -> Iterator[str]:
    """What the product imports stands in pyproject.toml; what only tests need does not count."""
    declared = {canonicalize_name(Requirement(line).name) for line in _declarations(tree.project["project"])}
    for importer, imported in _imports(tree):
        if not tree.graph.is_module_squashed(imported) or imported in sys.stdlib_module_names:
            continue
        known = {canonicalize_name(owner) for owner in (imported, *_owners().get(imported, []))}
        known |= {COMPANIONS[owner] for owner in known if owner in COMPANIONS}
        if not known & declared:
            yield f"{importer} imports {imported}: declare it in pyproject.toml and run make lock"


def every_package_is_guarded(tree: Tree) -> Iterator[str]:
    """A new package comes under the contracts, the types and the coverage the day it appears."""
    for folder in sorted({path.rpartition("/")[0] for path in tree.product}):
        if f"{folder}/__init__.py" not in tree.product:
            yield f"{folder}/__init__.py is missing: without it the contracts do not see the package"
    for package in tree.packages:
        if list(_at_import(tree.modules.get(f"{package}/__init__.py", ast.Module([], [])))):
            yield f"{package}/__init__.py imports something: the whole of {package} would load it"
        for keys in GUARDS:
            if package not in _at(tree.project["tool"], keys):
                yield f"{package} is not in [tool.{'.'.join(keys[:-1])}] {keys[-1]}: add it"


def _declarations(project: Mapping[str, Any]) -> Iterator[str]:
    yield from project["dependencies"]
    for extra in project.get("optional-dependencies", {}).values():
        yield from extra


@cache
def _owners() -> Mapping[str, list[str]]:
    return packages_distributions()


def _at(table: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        table = table[key]
    return table


def _imports(tree: Tree) -> list[tuple[str, str]]:
    graph = tree.graph
    return sorted((a, b) for a in graph.modules for b in graph.find_modules_directly_imported_by(a))


def _inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _at_import(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and not _for_types_only(child):
            yield from _at_import(child)


def _for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _imported_by(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]


CONTRACTS = {
    options["name"]: partial(contract_is_kept, options=options)
    for options in read_configuration(str(ROOT / "pyproject.toml"))["contracts_options"]
}
RULES = {
    "The domain and the audit tree use the standard library only": pure_packages_use_the_standard_library,
    "Adapters see their vendor, the webhook receiver parsers, the desk wire codecs": vendors_stay_apart,
    "Google's clients are imported inside functions": google_is_imported_late,
    "Outside packages are declared": outside_packages_are_declared,
    "Every package is guarded": every_package_is_guarded,
}
