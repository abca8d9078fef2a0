"""A real fleet: `keyfleet up` as a process, in a folder and on a port of its own."""

import contextlib
import json
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from infra.cli.main import app
from infra.local.server import free_port


@dataclass
class RealFleet:
    """A home, a port, and the processes started there."""

    home: Path
    port: int = field(default_factory=free_port)

    @property
    def place(self) -> list[str]:
        """The options that name this fleet."""
        return ["--home", str(self.home), "--port", str(self.port)]

    @contextlib.contextmanager
    def up(self, *options: str):
        """Run it for a while; yields the process and what it announced, and ends with SIGTERM."""
        command = [sys.executable, "-m", "infra.cli", "up", *self.place, "--json", *options]
        with (self.home.parent / "fleet.log").open("ab") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            yield process, _document(process)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=20)

    def fails_to_start(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Start it and wait for it to give up."""
        command = [sys.executable, "-m", "infra.cli", "up", *self.place, *options]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=30)

    def ask(self, *arguments: str, exit_code: int = 0) -> Any:
        """Run a command about this fleet, and return its one document."""
        result = CliRunner().invoke(app, [*arguments, *self.place, "--json"])
        assert result.exit_code == exit_code, result.output
        return json.loads(result.stdout)

    def until(self, look) -> Any:
        """Return what a look finds; each look asks the fleet, which paces it."""
        for _ in range(2000):
            if found := look():
                return found
        raise AssertionError("it did not happen")


def _document(process) -> Any:
    text = ""
    while not text.endswith("\n}\n"):
        line = process.stdout.readline()
        assert line, "the fleet ended before it was up"
        text += line
    return json.loads(text)


@pytest.fixture
def fleet(tmp_path):
    """A fleet of the test's own, not started."""
    return RealFleet(tmp_path / "home")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A fleet that runs for all tests of a module, with the sample hotel."""
    fleet = RealFleet(tmp_path_factory.mktemp("fleet") / "home")
    with fleet.up("--sample"):
        yield fleet
