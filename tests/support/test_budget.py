"""The budget of the tests: whose cost is whose, and what is said of a folder that grew too dear."""

import json
import subprocess
import sys

import pytest

from tests.support import pace
from tests.support.budget import BUDGET, ROOT, Costs, folder_of, over_budget


@pytest.mark.parametrize(
    ("nodeid", "folder"),
    [
        ("tests/workflows/issue/test_rush.py::test_one", "workflows"),
        ("tests/unit/shared/ledger/test_entry.py::TestIt::test_one[a/b]", "unit/shared"),
        ("tests/contract/lock/test_mock.py::test_one", "contract/lock"),
        ("tests/test_top.py::test_one", "."),
    ],
)
def test_a_test_is_counted_for_its_folder(nodeid, folder):
    assert folder_of(nodeid) == folder


def test_a_folder_over_its_budget_is_named_with_both_figures():
    (said,) = over_budget({"chaos": 61.0, "workflows": 9.0}, {"chaos": 60, "workflows": 10})
    assert "tests/chaos took 61 CPU seconds, and may take 60" in said


def test_a_folder_without_a_budget_may_cost_next_to_nothing():
    assert over_budget({"new": 0.9}, {}) == []
    assert len(over_budget({"new": 1.1}, {})) == 1


def test_each_tier_has_a_budget():
    assert set(json.loads(BUDGET.read_text())) == {"test", "soak"}


SPIN = """
import time
from tests.support.pace import pace

def test_spin():
    end = time.process_time() + 1.5 * pace()
    while time.process_time() < end:
        pass
"""
COUNTED = """
from tests.support.budget import Costs

def pytest_configure(config):
    config.pluginmanager.register(Costs(config))
"""


def test_a_run_over_its_budget_fails_and_says_where(tmp_path):
    folder = tmp_path / "suite" / "dear"
    folder.mkdir(parents=True)
    (folder / "test_spin.py").write_text(SPIN)
    (tmp_path / "conftest.py").write_text(COUNTED)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    ran = subprocess.run(
        [*command, "--import-mode=importlib", str(folder)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "KEYFLEET_TEST_TIER": "test", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "tests/dear took" in ran.stdout


def test_what_a_slower_machine_takes_longer_for_costs_as_much(monkeypatch, tmp_path):
    monkeypatch.setattr(pace, "USUAL", pace.USUAL / 1000)
    file = tmp_path / "test_spin.py"
    file.write_text(SPIN.replace("1.5 * pace()", "0.2"))
    costs = tmp_path / "costs.json"
    monkeypatch.setenv("KEYFLEET_TEST_COSTS", str(costs))
    quietly = ["-q", "-p", "no:cacheprovider", "-p", "no:asyncio"]
    assert pytest.main([*quietly, str(file)], [_Counting()]) == 0
    (cost,) = json.loads(costs.read_text()).values()
    assert 0 <= cost < 0.1


class _Counting:
    def pytest_configure(self, config):
        config.pluginmanager.register(Costs(config))
