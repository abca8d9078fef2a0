"""What starting a function imports: each entry point is measured in a fresh process against its budget."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, Tree

BUDGET = json.loads(Path(__file__).with_name("import_budget.json").read_text())
SHARED_BY_ALL = "every entry point"
ENTRY_POINTS = [f"functions.{family}.main" for family in Tree.at(ROOT).folders("functions")]
OWN = {"functions", "shared"}
"""What a deployed archive holds of ours."""
NAMESPACES = {"google", "google.cloud"}
"""Folders that many distributions share; they may be loaded before any code of ours runs."""
HEAVY = {"ctypes", "multiprocessing", "sqlite3", "tkinter", "unittest", "xml"}
"""Parts of the standard library that no function has a use for."""
REPORT = (
    "import json, sys; before = set(sys.modules); {}; print(json.dumps(sorted(set(sys.modules) - before)))"
)


def imported_by(statement):
    """Return the modules a statement loads into a fresh process."""
    command = [sys.executable, "-c", REPORT.format(statement)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def beyond_budget(entry_point, modules):
    """Return a sentence for each package that an entry point loads and nobody granted it."""
    granted = BUDGET[SHARED_BY_ALL].keys() | BUDGET.get(entry_point, {}).keys()
    remedy = "import it where it is used, or grant it in import_budget.json"
    return [f"starting {entry_point} imports {name}: {remedy}" for name in sorted(counted(modules) - granted)]


def counted(modules):
    """Return the packages behind some modules that a budget must name."""
    return {name for name in map(_package, modules) if name}


def _package(module):
    first = module.partition(".")[0]
    if module in NAMESPACES or first in OWN or first.startswith("_"):
        return None
    if first in sys.stdlib_module_names:
        return first if first in HEAVY else None
    # google is shared by many distributions: the third name says which one it is.
    return ".".join(module.split(".")[:3]) if first == "google" else first


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_entry_point_starts_within_its_budget(entry_point):
    assert beyond_budget(entry_point, imported_by(f"import {entry_point}")) == []


def test_budget_names_only_entry_points_that_exist():
    assert BUDGET.keys() - {SHARED_BY_ALL} <= set(ENTRY_POINTS)


def test_common_budget_grants_nothing_that_no_entry_point_imports():
    assert BUDGET[SHARED_BY_ALL].keys() <= counted(imported_by(f"import {ENTRY_POINTS[0]}"))


@pytest.mark.parametrize(
    "package",
    ["aiohttp", "grpc", "infra.local", "lark", "rich", "ruamel.yaml", "sqlite3", "typer", "uvicorn"],
)
def test_heavy_package_is_beyond_every_budget(package):
    assert package.partition(".")[0] not in {name for granted in BUDGET.values() for name in granted}


def test_import_beyond_the_budget_is_named_with_its_remedy():
    found = beyond_budget(
        "functions.upkeep.main", imported_by("import functions.upkeep.main, sqlite3, ruamel.yaml")
    )

    assert [finding.split()[3] for finding in found] == ["ruamel:", "sqlite3:"]
    assert "import_budget.json" in found[0]


def test_google_client_is_told_from_the_framework_s_own_google_modules():
    assert (
        beyond_budget("functions.upkeep.main", ["google", "google.cloud", "google.cloud.functions.context"])
        == []
    )
    assert len(beyond_budget("functions.upkeep.main", ["google.cloud.firestore", "google.auth.jwt"])) == 2


def test_a_refusal_at_the_door_loads_neither_the_ledger_nor_its_models():
    environment = {"GOOGLE_CLOUD_PROJECT": "hotel-locks", "KEYFLEET_REGION": "europe-west6"}
    statement = f"from shared.runtime.google import platform_of_environment as of; of({environment}).tokens"
    loaded = imported_by(statement)
    heavy = ("pydantic", "google", "grpc", "aiohttp", "shared.queries", "shared.vendor_kit.guard")
    assert [name for name in loaded if name.startswith(heavy)] == []
