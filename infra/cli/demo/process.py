"""The demo's processes: started, killed without warning, and stopped, each by its own id."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from infra.cli.address import FleetAddress
from infra.cli.cloud import Cloud
from infra.cli.control import ControlPlane
from infra.cli.polling import OutOfPatience, Patience
from infra.cli.problems import Failed, Problem
from infra.cli.sim.simulator import Simulator

START_SECONDS: Final = 30.0
STOP_SECONDS: Final = 8.0
LAST_WORDS: Final = 2000


class Process:
    """A keyfleet command that serves, started as often as one likes; what it says goes to a file."""

    def __init__(
        self, command: tuple[str, ...], log: Path, answer: Callable[[], Mapping[str, Any]], patience: Patience
    ) -> None:
        self._command, self._log = (sys.executable, "-m", "infra.cli", *command), log
        self._answer, self._patience = answer, patience
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The id of the process started last."""
        return self._process.pid if self._process is not None else 0

    @property
    def words(self) -> str:
        """Everything it ever said."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def start(self) -> None:
        """Start, without waiting until it serves."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own command, and no shell
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def serves(self) -> Mapping[str, Any]:
        """Wait until it serves, and return its first answer."""
        try:
            return self._patience.until(self._answered, START_SECONDS)
        except OutOfPatience as late:
            raise self._silent(str(late)) from None

    def kill(self) -> int:
        """kill -9; return the exit status, which is -9 unless something else ended it before."""
        if self._process is None:
            return 0
        self._process.kill()
        return self._process.wait()

    def stop(self) -> None:
        """Ask it to stop, and see to it that it does, even if nobody waits for that."""
        if self._process is None:
            return
        try:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):  # then it is not asked any more
                self._process.wait(STOP_SECONDS)
        finally:
            self.kill()

    def _answered(self) -> Mapping[str, Any] | None:
        if self._process is not None and self._process.poll() is not None:
            raise self._silent(f"it ended with exit status {self._process.returncode}")
        try:
            return self._answer()
        except Problem:
            return None

    def _silent(self, why: str) -> Failed:
        said = self.words[-LAST_WORDS:].strip()
        return Failed(f"{self._command[3]} did not start: {why}", f"its last words were:\n{said}")


def fleet_process(
    at: FleetAddress, simulator: Simulator, log: Path, patience: Patience, platform: Cloud
) -> Process:
    """Return a fleet to start, whose sample hotel has its account at this simulator."""
    place = ("--home", str(at.home), "--port", str(at.port), "--sim-port", str(simulator.port))
    return Process(
        ("up", *place, "--sample", "--card-hotel", "--platform", platform.value),
        log,
        lambda: ControlPlane(at).get("status"),
        patience,
    )


def vendor_process(simulator: Simulator, log: Path, patience: Patience) -> Process:
    """Return the sample hotel's vendor to start: a process of its own, which outlives any fleet."""
    from infra.local.sample.load import sample_vendor

    place = ("--home", str(simulator.home), "--port", str(simulator.port))
    return Process(("sim", "run", sample_vendor(), *place), log, lambda: simulator.get("clock"), patience)
