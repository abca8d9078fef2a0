"""What rows answer to is known before they are loaded, and a row that is found by it is the row itself."""

import importlib
import json
import subprocess
import sys

import pytest

from infra.codegen.addresses import module_of
from infra.codegen.openapi import described
from infra.manifest.load import load_manifest
from shared.runtime.addresses import ROWS, addresses_of
from shared.runtime.api import TABLE
from shared.runtime.routes import RouteTable
from tests.unit.shared.runtime import test_api_matrix

TABLES = sorted({each.function for each in described()})
REFUSED = """
import asyncio, json, sys
from functions.lock_api.main import lock_api
from shared.runtime.api import TABLE
from shared.runtime.addresses import addresses_of
from shared.runtime.routes import Shapes
found, _ = Shapes(addresses_of(getattr(lock_api, TABLE))).find("GET", "/lock/v1/me")
before = {name for name in sys.modules if name.startswith(("functions.", "pydantic"))}
row = found.loaded()
after = {name for name in sys.modules if name.startswith("functions.")}
print(json.dumps([sorted(before), row.path, sorted(after)]))
"""


def entry_of(name):
    """Return what loads a function's table."""
    function = load_manifest().functions[name]
    return getattr(getattr(importlib.import_module(function.module), function.entry_point), TABLE)


@pytest.mark.parametrize("name", TABLES)
def test_each_address_leads_to_its_own_row(name):
    load = entry_of(name)
    rows = {(row.method, row.path): row for row in RouteTable(load()).routes}
    pages = {(each.method, each.path): each for each in addresses_of(load)}
    assert pages.keys() == rows.keys()
    assert all(pages[asked].loaded() is rows[asked] for asked in rows)


def test_a_table_that_is_on_no_page_has_no_addresses():
    assert addresses_of(getattr(test_api_matrix.sample_api, TABLE)) == ()


def test_who_lists_other_modules_rows_does_not_have_them():
    table = importlib.import_module("functions.lock_api.table")
    first = getattr(table, ROWS)[0]
    assert module_of(first, "functions.lock_api") == "functions.lock_api.about_me"


def test_an_instance_loads_the_rows_that_it_is_asked_for():
    done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, check=True)
    before, path, after = json.loads(done.stdout)
    assert before == ["functions.lock_api", "functions.lock_api.main"]
    assert path == "/lock/v1/me"
    assert after == [*before[:1], "functions.lock_api.about_me", *before[1:]]
