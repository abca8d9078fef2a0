"""A fleet as a process of its own, to be started, killed without warning, and stopped."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from infra.cli.control import ControlPlane
from infra.cli.patience import OutOfPatience, Patience
from infra.cli.place import Place
from infra.cli.problems import Failed, Problem

START_SECONDS, STOP_SECONDS = 20.0, 8.0
LAST_WORDS = 2000


class FleetProcess:
    """`keyfleet up` at a place, started as often as one likes; what it says goes to a file."""

    def __init__(self, at: Place, log: Path, patience: Patience) -> None:
        self._at, self._log, self._patience = at, log, patience
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The id of the process started last."""
        return self._process.pid if self._process is not None else 0

    def start(self) -> Mapping[str, Any]:
        """Start, and return the status it answers with."""
        place = ("--home", str(self._at.home), "--port", str(self._at.port))
        command = (sys.executable, "-m", "infra.cli", "up", *place, "--sample")
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own command, and no shell
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        try:
            return self._patience.until(self._answer, START_SECONDS)
        except OutOfPatience as late:
            raise self._silent(str(late)) from None

    def kill(self) -> int:
        """kill -9; return the exit status, which is -9 unless something else ended it before."""
        if self._process is None:
            return 0
        self._process.kill()
        return self._process.wait()

    def stop(self) -> None:
        """Ask it to stop, and see to it that it does."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def _answer(self) -> Mapping[str, Any] | None:
        if self._process is not None and self._process.poll() is not None:
            raise self._silent(f"it ended with exit status {self._process.returncode}")
        try:
            return ControlPlane(self._at).get("status")
        except Problem:
            return None

    def _silent(self, why: str) -> Failed:
        said = self._log.read_text(errors="replace")[-LAST_WORDS:].strip()
        return Failed(f"the fleet did not start: {why}", f"its last words were:\n{said}")
