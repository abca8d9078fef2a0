"""A vendor joins by its own folders: Acme is added to a copy of the tree and makes a key."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from infra.codegen.new_vendor import ADAPTER_LINES, SIMULATOR_LINES
from infra.manifest.load import ROOT

PARTS = Path(__file__).parent / "acme"
COPIED = ("functions", "infra", "schemas", "shared", "tests", "workflows", "terraform", "edge_agent")
OF_ACME = (
    *("tests/contract/lock/test_acme.py", "tests/unit/infra/simulators/acme"),
    "tests/unit/shared/vendors/test_papers.py",
)


class Checkout:
    """A copy of the tree, and what is run in it."""

    def __init__(self, folder):
        self.folder = folder
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder / "pyproject.toml")
        self.before = self.digests()

    def digests(self):
        """Return every file with a digest of what it holds."""
        paths = [path for path in self.folder.rglob("*") if path.is_file()]
        kept = [path for path in paths if not {"__pycache__", ".hypothesis"}.intersection(path.parts)]
        return {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).digest() for path in kept
        }

    def run(self, *command):
        """Run Python here, and nowhere else."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        whole = [sys.executable, *map(str, command)]
        return subprocess.run(
            whole, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    def lines(self, folder):
        """Return how many lines of Python a folder has."""
        return sum(len(path.read_text().splitlines()) for path in (self.folder / folder).rglob("*.py"))

    def fill_in(self):
        """Say what only Acme's documentation can."""
        for part in (path for path in PARTS.rglob("*") if path.is_file() and path.parent != PARTS):
            if "__pycache__" not in part.parts:
                shutil.copy(part, self.folder / part.relative_to(PARTS))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    checkout = Checkout(tmp_path_factory.mktemp("checkout"))
    made = checkout.run("-m", "infra.cli", "new-vendor", "acme", "--name", "Acme", "--json")
    assert made.returncode == 0, made.stderr
    checkout.made = json.loads(made.stdout)
    return checkout


def test_a_vendor_is_added_to_the_tree_and_makes_a_key(checkout, tmp_path):
    assert any("say how Acme adds a PIN" in each for each in checkout.made["unfinished"])
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *OF_ACME)
    unfinished = checkout.run(*tests)
    assert (unfinished.returncode, "NotImplemented" in unfinished.stdout) == (1, True), unfinished.stdout

    checkout.fill_in()
    finished = checkout.run(*tests)
    assert finished.returncode == 0, finished.stdout
    stay = checkout.run("-m", "tests.e2e.acme.issue_a_key", tmp_path)
    assert stay.returncode == 0, stay.stderr
    assert json.loads(stay.stdout.splitlines()[-1]) == {"opens": True, "neighbour_opens": False}

    after = checkout.digests()
    assert {path: after.get(path) for path in checkout.before} == checkout.before
    assert not [path for path in after.keys() - checkout.before.keys() if "acme" not in path]
    assert checkout.lines("shared/vendors/acme") <= ADAPTER_LINES
    assert checkout.lines("infra/simulators/acme") <= SIMULATOR_LINES


def test_a_vendor_that_is_there_is_not_written_over(checkout):
    again = checkout.run("-m", "infra.cli", "new-vendor", "acme")
    assert again.returncode == 2
    assert "there is already" in again.stderr


def test_a_code_that_is_none_is_refused_in_words(checkout):
    refused = checkout.run("-m", "infra.cli", "new-vendor", "Acme Locks")
    assert refused.returncode == 2
    assert "acme-locks" in refused.stderr
