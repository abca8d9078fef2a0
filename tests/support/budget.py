"""What the tests cost: CPU seconds of each folder, of the tests and of every process that they started.

The budget is CPU time, for that repeats where wall time does not, in seconds of the machine that it was
written on: each worker looks now and then how fast its own is (`pace.py`). `tests/budget.json` holds it for
each tier, and a folder over it fails the run. `KEYFLEET_TEST_COSTS=FILE` writes down what was measured.
"""

import json
import os
import resource
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

from tests.support.pace import pace

ROOT: Final = Path(__file__).resolve().parents[2]
BUDGET: Final = ROOT / "tests" / "budget.json"
COST: Final = "cpu_seconds"
DEEP: Final = ("unit", "contract")
"""Folders of so many tests that their subfolders have budgets of their own."""
LOOK_AGAIN: Final = 20.0
"""How many CPU seconds of tests are counted at one pace."""


def folder_of(nodeid: str) -> str:
    """Return the folder that a test's cost is counted for."""
    parts = nodeid.split("::", maxsplit=1)[0].split("/")[1:-1]
    return "/".join(parts[: 2 if parts and parts[0] in DEEP else 1]) or "."


def spent() -> float:
    """Return the CPU seconds of this process and of all its children that have ended."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, who))


def over_budget(costs: dict[str, float], budget: dict[str, float]) -> list[str]:
    """Return a sentence for each folder that cost more than it may, or that nobody gave a budget."""
    dear = {name: cost for name, cost in costs.items() if cost > budget.get(name, 1.0)}
    return [
        f"tests/{name} took {cost:.0f} CPU seconds, and may take {budget.get(name, 1.0):.0f}: "
        f"make them cheaper, move them to soak, or raise tests/budget.json with a reason"
        for name, cost in sorted(dear.items())
    ]


class Costs:
    """The plugin that adds up what each folder cost, over all workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config, self._costs = config, defaultdict[str, float](float)
        self._pace, self._looked = 1.0, float("-inf")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> object:
        """Note what a test costs, with its fixtures."""
        if spent() - self._looked > LOOK_AGAIN:
            self._pace, self._looked = pace(), spent()
        item.stash[_BEGAN] = spent()
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test's cost where all reports come together."""
        cost = dict(report.user_properties).get(COST)
        if report.when == "teardown" and isinstance(cost, float):
            self._costs[folder_of(report.nodeid)] += cost

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> object:
        """Send a test's cost along with its last report."""
        if call.when == "teardown":
            item.user_properties.append((COST, (spent() - item.stash[_BEGAN]) / self._pace))
        return (yield)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hold the costs of a whole tier to its budget."""
        costs = {name: round(cost, 1) for name, cost in sorted(self._costs.items())}
        if file := os.environ.get("KEYFLEET_TEST_COSTS"):
            Path(file).write_text(json.dumps(costs, indent=1) + "\n")
        tier = os.environ.get("KEYFLEET_TEST_TIER")
        if tier is None or hasattr(self._config, "workerinput"):
            return
        self._told = over_budget(costs, json.loads(BUDGET.read_text())[tier])
        if self._told and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    _told: list[str] = []  # noqa: RUF012 - replaced, never changed

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which folders are over their budget."""
        for line in self._told:
            terminalreporter.write_line(line, red=True)


_BEGAN = pytest.StashKey[float]()
