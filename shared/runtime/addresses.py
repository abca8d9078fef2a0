"""What each row of a table answers to, known before the row is loaded: pages that `make schemas` writes.

A row brings its models and its use case, and an instance is asked for few of all: it loads the modules whose
rows it is asked for, and whoever gets through to none loads none.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from shared.runtime.routes import Route

PAGE: Final = "addresses.json"
"""Beside a family's entry points."""
ROWS: Final = "ROUTES"
"""Where a module has its rows."""


@dataclass(frozen=True, slots=True)
class Address:
    """What a row answers to, and where it is."""

    method: str
    path: str
    module: str

    def loaded(self) -> "Route":
        """Return the row."""
        return _rows_of(self.module)[self.method, self.path]


@cache
def _rows_of(module: str) -> "Mapping[tuple[str, str], Route]":
    """Return a module's rows by what they answer to; it is loaded with the first that is asked for."""
    rows: tuple[Route, ...] = getattr(import_module(module), ROWS)
    return {(row.method, row.path): row for row in rows}


def addresses_of(load: Callable[[], Any]) -> tuple[Address, ...]:
    """Return the addresses that the page beside an entry point has of it; none where it is on no page."""
    page = Path(str(sys.modules[load.__module__].__file__)).with_name(PAGE)
    if not page.exists():
        return ()
    modules = json.loads(page.read_text(encoding="utf-8")).get(load.__name__, {})
    rows = ((*row.split(), module) for module, rows in modules.items() for row in rows)
    return tuple(Address(*row) for row in rows)
