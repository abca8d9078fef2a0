"""What product code may not say, beyond what ruff refuses."""

import ast
from collections.abc import Iterator, Mapping

from tests.architecture.tree import Tree

AMBIENT = {
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "os.getrandom",
    "os.urandom",
    "time.monotonic",
    "time.monotonic_ns",
    "time.perf_counter",
    "time.perf_counter_ns",
    "time.sleep",
    "time.time",
    "time.time_ns",
    "uuid.uuid1",
    "uuid.uuid4",
}
CHANCE = ("random.", "secrets.")
SEEDED = {"random.Random", "secrets.compare_digest"}
ASKS_THE_MACHINE = {
    "infra/local/ambient.py": "the embedded cloud's",
    "infra/simulators/wires/pty_port.py": "a simulated wire's, whose pace is real",
    "infra/simulators/kit/serve.py": "the simulators', which know nothing of the product",
    "shared/kernel/ambient.py": "Google Cloud's",
}
"""One place on each platform that asks the machine for time and chance."""
MEASURES = "infra/bench/"
DYNAMIC = {"__import__", "eval", "exec"}
LOADS = {
    "importlib.import_module",
    "importlib.util.spec_from_file_location",
    "runpy.run_module",
    "runpy.run_path",
}
LOADERS = {
    "edge_agent/hardware/radio.py": "loads the languages of locks that a desk is handed",
    "infra/archive/start.py": "loads the family that a function is deployed for",
    "infra/cli/late.py": "reads in the command that is asked for",
    "infra/codegen/__main__.py": "finds the generators of its own package",
    "infra/local/host/functions.py": "loads the entry points that the manifest names",
    "infra/simulators/registry.py": "loads the vendors that are simulated",
    "shared/events/catalogue.py": "loads one family of event models when it is first needed",
    "shared/events/backoffice/envelope.py": "loads one family of telemetry when it is first needed",
    "shared/runtime/addresses.py": "loads the rows that a request is for, by a page written from them",
    "shared/vendor_kit/registry.py": "loads the vendors that are installed",
    "infra/codegen/openapi.py": "describes the routes of every function of the manifest that people call",
}
"""Who may load a module by name, which no import contract sees."""


def time_and_chance_are_injected(tree: Tree) -> Iterator[str]:
    """Whoever takes a Clock can be tested on any day, and simulated."""
    for path in tree.product:
        if path in ASKS_THE_MACHINE or path.startswith(MEASURES):
            continue
        for node, name in _named(tree.modules[path]):
            if name in AMBIENT or (name.startswith(CHANCE) and name not in SEEDED):
                yield f"{path}:{node.lineno}: {name}: take a Clock, an Entropy or an Ids"


def code_is_not_made_of_text(tree: Tree) -> Iterator[str]:
    """Product code evaluates no text, not even its own."""
    for path in tree.product:
        for node in ast.walk(tree.modules[path]):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DYNAMIC:
                yield f"{path}:{node.lineno}: {node.func.id}: parse what you expect, or use a table"


def modules_are_loaded_by_name_in_few_places(tree: Tree) -> Iterator[str]:
    """Elsewhere an import statement does, and the contracts see it."""
    for path in tree.product:
        for node, name in _named(tree.modules[path]):
            if name in LOADS and path not in LOADERS:
                yield f"{path}:{node.lineno}: {name}: import it by statement, or say why not in LOADERS"


def errors_are_not_swallowed(tree: Tree) -> Iterator[str]:
    """Catching everything and saying nothing hides the next defect too."""
    for path in tree.python:
        for node in ast.walk(tree.modules[path]):
            if isinstance(node, ast.ExceptHandler) and node.type is None:
                yield f"{path}:{node.lineno}: except without a type: name the errors you expect"


def _named(module: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    aliases = dict(_aliases(module))
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute | ast.Name) and (name := _full_name(node, aliases)):
            yield node, name


def _aliases(module: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (_alias(name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((name.asname or name.name, f"{node.module}.{name.name}") for name in node.names)


def _alias(name: ast.alias) -> tuple[str, str]:
    # `import a.b` binds a; `import a.b as c` binds a.b to c.
    first = name.name.partition(".")[0]
    return (name.asname, name.name) if name.asname else (first, first)


def _full_name(node: ast.expr, aliases: Mapping[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return aliases.get(node.id)
    if isinstance(node, ast.Attribute) and (owner := _full_name(node.value, aliases)):
        return f"{owner}.{node.attr}"
    return None


RULES = {
    "Time, chance and names are injected": time_and_chance_are_injected,
    "Code is not made of text": code_is_not_made_of_text,
    "Modules are loaded by name in few places": modules_are_loaded_by_name_in_few_places,
    "Errors are not swallowed": errors_are_not_swallowed,
}
