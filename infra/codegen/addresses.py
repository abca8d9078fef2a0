"""What each row of a table answers to, by its module: an instance loads the rows that it is asked for."""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

from infra.codegen.openapi import described
from infra.manifest.load import load_manifest
from shared.runtime.addresses import PAGE, ROWS
from shared.runtime.routes import Route, RouteTable

OWNED: Final = (f"functions/*/{PAGE}",)


def generate() -> dict[Path, str]:
    """Return the page of each family that people may ask."""
    functions, tables = load_manifest().functions, defaultdict[str, list[Route]](list)
    for each in described():
        tables[each.function].append(each.route)
    pages: dict[Path, dict[str, dict[str, list[str]]]] = defaultdict(dict)
    for function, rows in ((functions[name], rows) for name, rows in tables.items()):
        page = Path("functions", function.family, PAGE)
        pages[page][function.entry_point] = by_module(RouteTable(rows).routes, f"functions.{function.family}")
    return {path: json.dumps(page, indent=1) + "\n" for path, page in pages.items()}


def by_module(rows: tuple[Route, ...], family: str) -> dict[str, list[str]]:
    """Return what each module's rows answer to."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        found[module_of(row, family)].append(f"{row.method} {row.path}")
    return dict(found)


def module_of(row: Route, family: str) -> str:
    """Return the module of a family that has a row; one that lists other modules' rows is not it."""
    tables = {name: getattr(sys.modules[name], ROWS, ()) for name in sys.modules if name.startswith(family)}
    holders = {name: rows for name, rows in tables.items() if any(each is row for each in rows)}
    return min(holders, key=lambda name: len(holders[name]))
