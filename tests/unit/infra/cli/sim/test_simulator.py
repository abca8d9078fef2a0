"""Finding a simulator: where it listens by default, and what is said when none does."""

import stat
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from infra.cli.address import FleetAddress
from infra.cli.problems import Refused
from infra.cli.sim.simulator import TOKEN_FILE, Simulator, simulator_at
from infra.local.server import free_port


def _refused(run, *place):
    result = run("sim", "locks", *map(str, place))
    assert (result.exit_code, result.stdout) == (3, "")
    return result.stderr


def test_a_simulator_listens_next_to_the_fleet_unless_its_port_is_given(tmp_path):
    assert simulator_at(FleetAddress(tmp_path, 9000), None) == Simulator(tmp_path, 9001)
    assert simulator_at(FleetAddress(tmp_path, 9000), 7000) == Simulator(tmp_path, 7000)


def test_a_fleet_on_the_last_port_has_no_simulator_next_to_it(tmp_path):
    with pytest.raises(Refused, match="no port comes after"):
        simulator_at(FleetAddress(tmp_path, 65535), None)


def test_the_commands_find_the_simulator_by_the_fleets_port(simulator, run, monkeypatch):
    monkeypatch.setenv("KEYFLEET_HOME", str(simulator.home))
    monkeypatch.setenv("KEYFLEET_PORT", str(simulator.port - 1))
    assert "Room 101" in run("sim", "locks").stdout
    monkeypatch.setenv("KEYFLEET_PORT", "1")
    monkeypatch.setenv("KEYFLEET_SIM_PORT", str(simulator.port))
    assert "Room 101" in run("sim", "locks").stdout


def test_a_simulator_that_does_not_run_is_said_with_how_to_start_it(run, tmp_path):
    port = free_port()
    said = _refused(run, "--home", tmp_path, "--port", port)
    assert f"no simulator answers at http://127.0.0.1:{port}" in said
    assert f"`keyfleet sim run ttlock --home {tmp_path} --port {port}`" in said
    assert f"`keyfleet up --sample --simulators --home {tmp_path} --port {port - 1}`" in said


def test_asking_draws_no_token(run, tmp_path):
    _refused(run, "--home", tmp_path, "--port", free_port())
    assert not list(tmp_path.iterdir())


def test_a_fleet_is_no_simulator(fleet, run):
    said = _refused(run, "--home", fleet.place.home, "--port", fleet.place.port)
    assert f"what listens at {fleet.place.base_url} is no simulator" in said


ANSWERS = {
    "a list": b"[]",
    "what a simulator says": b'{"locks": [], "state": {}, "now": 1}',
    "a proof of nothing": b'{"proof": "00"}',
    "a proof that is none": b'{"proof": 7}',
    "no JSON": b"\xff<html>",
    "nothing": b"",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("command", ["locks", "state", "clock", "try 101 123456", "calls"])
def test_trial_l1_l2_whoever_has_the_simulators_port_gets_no_token_and_no_traceback(
    tmp_path, run, answer, command
):
    squatter = HTTPServer(("127.0.0.1", 0), _Squatter)
    squatter.answer, squatter.heard = answer, []
    thread = threading.Thread(target=squatter.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    simulator = Simulator(tmp_path / "home", squatter.server_port)
    token = simulator.token()
    try:
        result = run("sim", *command.split(), "--home", str(simulator.home), "--port", str(simulator.port))
    finally:
        squatter.shutdown()
        thread.join()
        squatter.server_close()
    assert result.exit_code == 3
    assert "Traceback" not in result.stderr
    assert "error:" in result.stderr
    assert squatter.heard
    assert not any(token in heard for heard in squatter.heard)


class _Squatter(BaseHTTPRequestHandler):
    """Listens where a simulator is looked for, and notes whatever it is told."""

    def do_GET(self):
        length = int(self.headers.get("content-length", 0))
        self.server.heard.append(f"{self.path} {self.headers} {self.rfile.read(length)}")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, *_):
        """Say nothing."""


def test_a_simulator_of_another_home_is_said_to_be_one(simulator, run, tmp_path):
    said = _refused(run, "--home", tmp_path / "other", "--port", simulator.port)
    assert "does not take the token" in said
    assert "--home or KEYFLEET_HOME" in said


def test_the_token_is_drawn_once_and_for_its_owner_alone(tmp_path):
    simulator = Simulator(tmp_path / "home", 8788)
    assert simulator.token() == simulator.token()
    assert len(simulator.token()) == 32
    assert stat.S_IMODE((simulator.home / TOKEN_FILE).stat().st_mode) == 0o600


def test_a_token_that_others_may_read_is_refused(simulator, ask):
    (simulator.home / TOKEN_FILE).chmod(0o644)
    refused = ask("locks")
    assert refused.exit_code == 2
    assert "readable by others" in refused.stderr
    assert f"delete {simulator.home / TOKEN_FILE}" in refused.stderr


@pytest.mark.parametrize("content", [b"", b"canary\n", b"can ary", b"\xff"])
def test_a_token_that_no_header_can_carry_is_refused_and_not_repeated(simulator, ask, content):
    (simulator.home / TOKEN_FILE).write_bytes(content)
    refused = ask("locks")
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[0] == "error: simulator.token holds no token"
    assert "canary" not in refused.output
