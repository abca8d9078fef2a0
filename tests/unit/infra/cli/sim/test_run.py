"""keyfleet sim run: what it refuses before it serves."""

import re
import socket
import subprocess
import sys

import pytest

from infra.local.server import free_port


def test_run_of_a_vendor_nobody_simulates_is_refused_with_those_somebody_does(run, tmp_path):
    refused = run("sim", "run", "latchkey", "--home", str(tmp_path / "home"))
    assert refused.exit_code == 2
    assert re.search(r"name one of: .*\bttlock\b", refused.stderr)
    assert not (tmp_path / "home").exists()


def test_run_on_a_taken_port_is_refused_before_anything_is_made(run, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = run("sim", "run", "ttlock", "--home", str(tmp_path / "home"), "--port", port)
    assert refused.exit_code == 1
    assert f"port {port}, where the simulator would listen, is in use" in refused.stderr
    assert "choose another with --port or KEYFLEET_SIM_PORT\n" in refused.stderr
    assert not (tmp_path / "home").exists()


def test_up_with_simulators_on_a_taken_port_is_refused(run, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        place = ("--home", str(tmp_path / "home"), "--port", "1", "--sim-port", port)
        refused = run("up", "--simulators", *place)
    assert refused.exit_code == 1
    assert f"port {port}, where the simulator would listen, is in use" in refused.stderr
    assert "choose another with --sim-port or KEYFLEET_SIM_PORT\n" in refused.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    "command", [("up", "--sample", "--simulators"), ("sim", "run", "ttlock")], ids=["beside", "alone"]
)
def test_a_token_that_is_none_is_refused_before_a_simulator_is_started(run, tmp_path, command):
    (tmp_path / "simulator.token").write_bytes(b"canary\n")
    (tmp_path / "simulator.token").chmod(0o600)
    refused = run(*command, "--home", str(tmp_path), "--port", str(free_port()))
    assert refused.exit_code == 2
    assert "simulator.token holds no token" in refused.stderr
    assert not (tmp_path / "fleet.db").exists()


def test_a_child_that_cannot_begin_says_why_in_words(tmp_path):
    (tmp_path / "simulator.token").touch(0o600)
    command = [sys.executable, "-m", "infra.cli.sim.child", "ttlock", str(tmp_path), str(free_port())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        said = child.stderr.read()
    assert child.returncode == 2
    assert said.splitlines()[0] == "error: simulator.token holds no token"
