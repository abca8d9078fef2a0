"""kill -9 of a real process at each boundary of a commit: whatever was acknowledged is kept."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.infra.local.storage.notebook import notes

CHILD = str(Path(__file__).with_name("writing_child.py"))
BOUNDARIES = ("before-commit", "before-mark", "after-commit")


def run_until_killed(folder, boundary):
    """Run the child until it dies there, and return the names it acknowledged."""
    command = [sys.executable, CHILD, str(folder), "50", "--crash", boundary]
    child = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert child.returncode == -signal.SIGKILL, child.stderr
    return child.stdout.split()


@pytest.mark.parametrize("nth", [1, 2, 17])
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_kill_at_a_boundary_loses_nothing_acknowledged(tmp_path, boundary, nth):
    acknowledged = run_until_killed(tmp_path, f"{boundary}#{nth}")
    kept = notes(tmp_path)
    assert set(acknowledged) <= kept.keys()
    assert len(kept) - len(acknowledged) <= 4, "more than one round of writers is neither here nor there"


def test_a_kill_before_the_commit_keeps_nothing_of_it(tmp_path):
    assert run_until_killed(tmp_path, "before-commit#1") == []
    assert notes(tmp_path) == {}


def test_a_kill_before_the_mark_keeps_the_commit(tmp_path):
    run_until_killed(tmp_path, "before-mark#1")
    assert len(notes(tmp_path)) >= 1
