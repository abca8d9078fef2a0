"""A fleet process that does not start."""

import socket

import pytest

from infra.cli.demo.process import FleetProcess
from infra.cli.patience import Patience
from infra.cli.place import Place
from infra.cli.problems import Failed


def test_a_fleet_that_ends_at_once_is_quoted(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        at = Place(tmp_path / "home", taken.getsockname()[1])
        process = FleetProcess(at, tmp_path / "log", Patience())
        with pytest.raises(Failed, match="exit status 1") as caught:
            process.start()
    assert f"port {at.port} is in use" in caught.value.remedy
    process.stop()


def test_a_fleet_that_was_never_started_is_stopped_already(tmp_path, patience):
    process = FleetProcess(Place(tmp_path), tmp_path / "log", patience)
    process.stop()
    assert process.pid == 0
