"""A simulator as the fleet's child, which ends when the fleet does, however the fleet ends."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from infra.cli.polling import OutOfPatience, Patience
from infra.cli.problems import Failed, Problem
from infra.cli.sim.run import refuse_taken_port
from infra.cli.sim.simulator import Simulator

START_SECONDS: Final = 20.0
STOP_SECONDS: Final = 5.0


@contextmanager
def simulator_beside(simulator: Simulator, patience: Patience, vendor: str | None = None) -> Iterator[None]:
    """Run the simulator of the sample hotel's locks for a while; what it has to say goes to stderr."""
    refuse_taken_port(simulator, "--sim-port")
    simulator.token()
    process = _started(simulator, vendor)
    try:
        _await(simulator, process, patience)
        yield
    finally:
        _end(process)


def _started(simulator: Simulator, vendor: str | None) -> subprocess.Popen[bytes]:
    from infra.local.sample.load import sample_vendor

    place = (str(simulator.home), str(simulator.port))
    command = (sys.executable, "-m", "infra.cli.sim.child", vendor or sample_vendor(), *place)
    return subprocess.Popen(  # noqa: S603 - our own command, and no shell
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        # Ctrl-C is for the fleet: what it still has to undo at the doors, it can.
        start_new_session=True,
    )


def _await(simulator: Simulator, process: subprocess.Popen[bytes], patience: Patience) -> None:
    def look() -> bool | None:
        if process.poll() is not None:
            raise Failed("the simulator ended before it answered", "its words are above")
        try:
            simulator.get("clock")
        except Problem:
            return None
        return True

    try:
        patience.until(look, START_SECONDS)
    except OutOfPatience as late:
        raise Failed(f"the simulator did not answer: {late}", "start the fleet again") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
