"""What is deployed is the same bytes wherever it is packed, and runs where nothing else of ours is."""

import ast
import json
import os
import sys
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from infra.archive.__main__ import main
from infra.archive.contents import TABLE, contents, pack, packed
from infra.archive.start import TABLE as READ_AT_START
from infra.codegen.function_requirements import OF_TOOLS, canonical, function_requirements
from infra.manifest.load import ROOT, load_manifest
from tests.unit.infra.archive.bare import link_requirements, pins, run, unpack

MANIFEST = load_manifest()
REPORT = """
import json, main
found = {}
for name in json.load(open("entry_points.json")):
    entry = getattr(main, name)
    found[name] = entry.__module__
print(json.dumps([found, sorted({each.partition(".")[0] for each in sys.modules})]))
"""
CLIENTS = """
import asyncio
from shared.gcp.clients import CLASSES
async def load():
    for service, load in CLASSES.items():
        assert load().__name__.endswith("AsyncClient"), service
asyncio.run(load())
import google.auth.transport.requests, aiohttp, websockets, uvicorn, gunicorn, uvicorn_worker, zoneinfo
print(zoneinfo.ZoneInfo("Asia/Kabul"), "ok")
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return unpack(tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    return link_requirements(tmp_path_factory.mktemp("bare") / "packages")


def test_the_same_tree_is_the_same_bytes_whenever_it_is_packed(tmp_path):
    pack(ROOT, tmp_path / "one.zip")
    files = contents(ROOT, MANIFEST)
    shuffled = dict(sorted(files.items(), key=lambda each: each[0][::-1]))
    assert packed(shuffled) == (tmp_path / "one.zip").read_bytes()


def test_one_byte_more_is_another_archive():
    files = contents(ROOT, MANIFEST)
    assert packed(files) != packed({**files, "main.py": files["main.py"] + b"\n"})


def test_only_what_is_deployed_is_in_it(tmp_path, capsys):
    assert main(["--out", str(tmp_path / "build/fleet.zip")]) == 0
    assert "sha256" in capsys.readouterr().out
    with zipfile.ZipFile(tmp_path / "build/fleet.zip") as found:
        names = found.namelist()
    assert {name.partition("/")[0] for name in names} == {
        *("functions", "shared", "main.py", "requirements.txt", TABLE),
    }
    assert not [name for name in names if name.endswith((".md", ".pyc", ".yaml"))]
    assert "shared/messages/texts/en.toml" in names


def test_what_starts_reads_the_table_that_was_packed():
    assert READ_AT_START == TABLE
    table = json.loads(contents(ROOT, MANIFEST)[TABLE])
    assert table == {each.entry_point: each.module for each in MANIFEST.functions.values()}


def test_every_entry_point_is_imported_where_there_is_nothing_but_what_is_deployed(archive, packages):
    done = run(archive, packages, REPORT)
    assert done.returncode == 0, done.stderr
    found, loaded = json.loads(done.stdout)
    assert found == {each.entry_point: each.module for each in MANIFEST.functions.values()}
    assert not {"infra", "edge_agent", "tests", "typer", "rich", "ruamel", "cronsim", "zstandard"} & {*loaded}


def test_every_client_of_google_and_every_server_is_there(archive, packages):
    done = run(archive, packages, CLIENTS)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Asia/Kabul ok\n"


def test_one_function_loads_its_own_family_alone(archive, packages):
    program = """
import main
main.on_config_updated
print(sorted(name for name in sys.modules if name.startswith("functions.")))
"""
    done = run(archive, packages, program)
    assert done.stdout == "['functions.tenant_events', 'functions.tenant_events.main']\n", done.stderr


def test_an_application_of_its_own_is_what_the_process_was_started_for(archive, packages):
    done = run(archive, packages, "import main; print(main.app.__name__)", FUNCTION_TARGET="probe_answer")
    assert done.stdout == "probe_answer\n", done.stderr


def test_a_name_that_is_no_entry_point_is_none(archive, packages):
    program = """
import main
print(*(hasattr(main, name) for name in ("issue_everything", "app", "__path__")))
"""
    done = run(archive, packages, program)
    assert done.stdout == "False False False\n", done.stderr


def test_an_idle_instance_s_worker_is_not_taken_for_dead(archive, packages):
    program = """
import os, main
from functions_framework._http.gunicorn import UvicornApplication
print(UvicornApplication(None, "127.0.0.1", 0, False).cfg.timeout)
"""
    done = run(archive, packages, program, CLOUD_RUN_TIMEOUT_SECONDS="60")
    assert done.stdout == "0\n", done.stderr


def test_the_packages_of_the_command_stay_at_home():
    names = pins(function_requirements(ROOT)).keys()
    assert not names & OF_TOOLS
    assert not names & {"pytest", "mypy", "ruff", "bleak", "pyserial", "sqlcipher3", "hidapi", "colorama"}


def imported(path):
    """Return the packages that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module).partition(".")[0]


def test_whatever_a_function_imports_late_is_installed_with_it():
    known, pinned = packages_distributions(), pins(function_requirements(ROOT)).keys()
    ours = {*sys.stdlib_module_names, "functions", "shared"}
    found = {
        name
        for part in ("functions", "shared")
        for path in (ROOT / part).rglob("*.py")
        for name in imported(path)
    }
    lacking = {name for name in found - ours if not {canonical(each) for each in known[name]} & pinned}
    assert lacking == set()
    assert {"boto3", "google", "grpc", "aiohttp"} <= found


def test_what_functions_need_is_pinned_as_everything_else_is():
    functions = pins(function_requirements(ROOT))
    everything = pins((ROOT / "requirements-dev.txt").read_text())
    assert functions.items() <= everything.items()
    text = function_requirements(ROOT)
    assert text.count("--hash=sha256:") > len(functions)
    assert "://" not in text


def test_the_archive_is_packed_alike_in_another_folder_and_time(tmp_path):
    files = contents(ROOT, MANIFEST)
    copy = tmp_path / "copy"
    for path in (
        *files,
        *(path.relative_to(ROOT).as_posix() for path in ROOT.glob("functions/*/fleet.yaml")),
    ):
        source = {"main.py": "infra/archive/start.py", "requirements.txt": "requirements-functions.txt"}.get(
            path, path
        )
        if path != TABLE:
            (copy / source).parent.mkdir(parents=True, exist_ok=True)
            (copy / source).write_bytes((ROOT / source).read_bytes())
            os.utime(copy / source, (1_000_000_000, 1_000_000_000))
    assert contents(copy, load_manifest(copy)) == files
    assert packed(contents(copy, load_manifest(copy))) == packed(files)


def test_start_is_what_the_archive_begins_with():
    assert contents(ROOT, MANIFEST)["main.py"] == Path(ROOT / "infra/archive/start.py").read_bytes()
