"""keyfleet sim run: what it refuses before it serves."""

import socket


def test_run_of_a_vendor_nobody_simulates_is_refused_with_those_somebody_does(run, tmp_path):
    refused = run("sim", "run", "latchkey", "--home", str(tmp_path / "home"))
    assert refused.exit_code == 2
    assert "name one of: ttlock" in refused.stderr
    assert not (tmp_path / "home").exists()


def test_run_on_a_taken_port_is_refused_before_anything_is_made(run, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = run("sim", "run", "ttlock", "--home", str(tmp_path / "home"), "--port", port)
    assert refused.exit_code == 1
    assert f"port {port}, where the simulator would listen, is in use" in refused.stderr
    assert not (tmp_path / "home").exists()


def test_up_with_simulators_on_a_taken_port_is_refused(run, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        place = ("--home", str(tmp_path / "home"), "--port", "1", "--sim-port", port)
        refused = run("up", "--simulators", *place)
    assert refused.exit_code == 1
    assert f"port {port}, where the simulator would listen, is in use" in refused.stderr
    assert not (tmp_path / "home").exists()
