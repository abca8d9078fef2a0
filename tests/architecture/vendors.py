"""Vendors: each is named in its own folders only, and costs no more lines than it may."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from tests.architecture.tree import PRODUCT, Tree

ADAPTERS, SIMULATORS, SIMULATED = "shared/vendors", "infra/simulators", "infra.simulators"
NO_VENDORS = {"kit", "mock"}
"""What every simulator is made of; and the specification's stand-in for any vendor (A §15.2)."""
MAY_NAME = {
    "edge_agent/issuing/makers.py": "what a lone desk makes are its own encoder's cards",
    "edge_agent/README.md": "a reader is told which wires a desk speaks",
    "edge_agent/hardware/property_systems/": "a desk's wires are each some vendor's",
    "infra/bench/measures/desk.py": "a desk's wires are each some vendor's",
    "infra/cli/demo/week_mixed.py": "the mixed week's cards are written at some vendor's simulated desk",
    "infra/decisions/": "a decision says what it was about",
    "infra/docs/": "a reader is told what there is",
    "infra/simulators/ble_locks/": "a lock on the air is some vendor's",
    "infra/simulators/property_systems/": "a system in a hotel's network is some vendor's",
    "infra/local/sample/hotel.yaml": "the sample hotel's locks are somebody's, and only this file says whose",
    "infra/local/sample/fresh_hotel.yaml": "whoever begins copies a hotel whose locks are somebody's",
    "infra/local/sample/card_hotel.yaml": "the second house has cards, and only this file says so",
    "infra/local/sample/wings.yaml": "a wing for each vendor, and only this file says which",
    "shared/events/backoffice/boundary.py": "document C spells some vendors otherwise",
}
PLAIN = (600, 700)
BUDGETS: Mapping[str, tuple[int, int]] = {"ttlock": (1100, 2400), "assa_abloy": (700, 900)}
"""Lines of adapter and simulator; a vendor that may have more than a plain one has three kinds of key, codes
that locks compute, gateways, webhooks that nobody signs, and quirks that only its simulator could teach."""
APP = re.compile(rf"{SIMULATORS}/\w+/app\.py")
SUFFIXES = (".py", ".yaml", ".yml", ".md")


def vendors_are_named_in_their_own_folders(tree: Tree) -> Iterator[str]:
    """What is not a vendor's own treats all vendors alike, so that the next one edits no central file."""
    for vendor in vendors_of(tree):
        named = re.compile(rf"(?<![a-z]){vendor.replace('_', '[-_ ]?')}", re.IGNORECASE)
        for path in (path for path in tree.texts if _central(path, vendor)):
            for number, line in _said(tree, path):
                if named.search(line):
                    yield f"{path}:{number}: names {vendor}: ask the registry, or let its folder say it"


def vendors_keep_their_budgets(tree: Tree) -> Iterator[str]:
    """What vendors share lies in the kits; one that grows past its budget has something to give them."""
    for vendor, (adapter, simulator) in sizes_of(tree).items():
        most = BUDGETS.get(vendor, PLAIN)
        for folder, lines, limit in ((ADAPTERS, adapter, most[0]), (SIMULATORS, simulator, most[1])):
            if lines > limit:
                yield f"{folder}/{vendor}: {lines} lines of {limit}: give to the kit what others need too"
    for name in wires_of(tree):
        if (lines := _lines(tree, SIMULATORS, name)) > PLAIN[1]:
            yield f"{SIMULATORS}/{name}: {lines} lines of {PLAIN[1]}: give each kind of wire its own folder"


def vendors_of(tree: Tree) -> list[str]:
    """Return the folders' names of all vendors: those with an adapter, and those that are simulated."""
    simulated = {path.split("/")[2] for path in tree.product if APP.fullmatch(path)}
    return sorted(name for name in {*tree.folders(ADAPTERS), *simulated} - NO_VENDORS if name.isidentifier())


def wires_of(tree: Tree) -> list[str]:
    """Return the folders' names of the simulators that are no vendor's alone: those of a desk's wires."""
    return sorted({*tree.folders(SIMULATORS)} - NO_VENDORS - {*vendors_of(tree)})


def sizes_of(tree: Tree) -> dict[str, tuple[int, int]]:
    """Return how many lines of Python each vendor's adapter and simulator have."""
    return {
        vendor: (_lines(tree, ADAPTERS, vendor), _lines(tree, SIMULATORS, vendor))
        for vendor in vendors_of(tree)
    }


def _lines(tree: Tree, folder: str, vendor: str) -> int:
    paths = (path for path in tree.product if path.startswith(f"{folder}/{vendor}/"))
    return sum(len(tree.texts[path].splitlines()) for path in paths)


def _central(path: str, vendor: str) -> bool:
    parts = PurePosixPath(path).with_suffix("").parts
    product = parts[0] in (*PRODUCT, "workflows") and path.endswith(SUFFIXES)
    own = not {vendor, f"adapter_{vendor}"}.isdisjoint(parts)
    return product and not own and not path.startswith(tuple(MAY_NAME))


def _said(tree: Tree, path: str) -> Iterator[tuple[int, str]]:
    """Return a file's lines but for imports: contracts say whose they may be, but of simulators none does."""
    imports = set(_imports(tree.modules[path])) if path.endswith(".py") else set()
    lines = enumerate(tree.texts[path].splitlines(), start=1)
    return ((number, line) for number, line in lines if number not in imports)


def _imports(module: ast.Module) -> Iterator[int]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import | ast.ImportFrom) and SIMULATED not in ast.unparse(node):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


RULES = {
    "Vendors are named in their own folders only": vendors_are_named_in_their_own_folders,
    "Vendors keep their budgets": vendors_keep_their_budgets,
}
