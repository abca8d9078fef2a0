"""Simulators as processes: in the foreground, and beside a fleet, with which they end."""

import json
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from infra.cli.main import app
from infra.local.server import free_port


@pytest.fixture
def doors(fleet):
    """The options that name a simulator of the fleet's home."""
    return ["--home", str(fleet.home), "--port", str(free_port())]


def _answers(doors) -> bool:
    return CliRunner().invoke(app, ["sim", "clock", *doors]).exit_code == 0


def test_a_simulator_runs_until_it_is_told_to_stop(fleet, doors):
    command = [sys.executable, "-m", "infra.cli", "sim", "run", "ttlock", *doors, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert fleet.until(lambda: _answers(doors))
        process.send_signal(signal.SIGTERM)
        said, complaints = process.communicate(timeout=20)
    assert process.returncode == 0
    assert json.loads(said)["vendor"] == "ttlock"
    assert "Traceback" not in complaints


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_simulator_beside_a_fleet_ends_with_it_however_it_ends(fleet, doors, how):
    with fleet.up("--sample", "--simulators", "--sim-port", doors[-1]) as (process, announced):
        assert announced["simulators"] == {"ttlock": f"http://127.0.0.1:{doors[-1]}"}
        assert _answers(doors)
        process.send_signal(how)
        process.wait(20)
        assert fleet.until(lambda: not _answers(doors))
