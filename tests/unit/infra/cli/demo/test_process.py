"""The demo's processes when something is wrong with them."""

import socket
import subprocess
from functools import partial

import pytest

from infra.cli.address import FleetAddress
from infra.cli.cloud import Cloud
from infra.cli.demo.process import fleet_process, vendor_process
from infra.cli.polling import Patience
from infra.cli.problems import Failed
from infra.cli.sim.simulator import Simulator
from infra.local.server import free_port


@pytest.fixture
def started(tmp_path):
    """Start a process for the length of a test."""
    processes = []

    def start(make, *places):
        process = make(*places, tmp_path / "log", Patience())
        processes.append(process)
        process.start()
        return process

    yield start
    for process in processes:
        process.stop()


def test_a_fleet_that_ends_at_once_is_quoted(tmp_path, started):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        at = FleetAddress(tmp_path / "home", taken.getsockname()[1])
        with pytest.raises(Failed, match="exit status 1") as caught:
            started(partial(fleet_process, platform=Cloud.EMBEDDED), at, Simulator(at.home, 1)).serves()
    assert f"port {at.port} is in use" in caught.value.remedy


def test_a_simulator_that_ends_at_once_is_quoted(tmp_path, started):
    home = tmp_path / "a file"
    home.write_text("")
    with pytest.raises(Failed, match="exit status 1") as caught:
        started(vendor_process, Simulator(home, free_port())).serves()
    assert f"cannot use {home}" in caught.value.remedy


def test_a_process_that_was_never_started_is_stopped_already(tmp_path, patience):
    process = vendor_process(Simulator(tmp_path, 1), tmp_path / "log", patience)
    process.stop()
    assert (process.pid, process.words, process.kill()) == (0, "", 0)


@pytest.mark.parametrize("trouble", [subprocess.TimeoutExpired("keyfleet", 8), KeyboardInterrupt()])
def test_a_process_that_does_not_end_in_time_is_killed_even_if_nobody_waits(tmp_path, patience, trouble):
    process = vendor_process(Simulator(tmp_path, 1), tmp_path / "log", patience)
    process._process = stubborn = Stubborn(trouble)
    try:
        process.stop()
    except KeyboardInterrupt:
        assert isinstance(trouble, KeyboardInterrupt)
    assert stubborn.heard == ["terminate", "kill"]


class Stubborn:
    """A process that ends only when it is killed."""

    def __init__(self, trouble):
        self._trouble, self.heard = trouble, []

    def terminate(self):
        self.heard.append("terminate")

    def kill(self):
        self.heard.append("kill")

    def wait(self, seconds=None):
        if seconds is not None:
            raise self._trouble
        return -9
