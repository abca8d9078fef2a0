"""The catchers of guests' messages as the fleet's child, which ends when the fleet does, however it ends."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

OUTBOX_PORT: Final = "KEYFLEET_OUTBOX_PORT"
"""Names, in the environment, where messages to guests are caught by somebody who was started before."""
STOP_SECONDS: Final = 5.0
BESIDE_SIMULATOR: Final = 1
"""The outbox listens next to the simulator, and takes mail one port above."""


def outbox_port(simulator_port: int) -> int:
    """Return where the outbox listens unless it is told otherwise."""
    return simulator_port + BESIDE_SIMULATOR


def outbox_address(home: Path, port: int) -> str:
    """Return the address that opens the outbox in a browser; whoever has it reads what guests are sent."""
    from infra.catchers.serve import outbox_token

    return f"http://127.0.0.1:{port}/open?{outbox_token(home)}"


@contextmanager
def catchers_beside(home: Path, port: int) -> Iterator[None]:
    """Run the catchers for a while; what they have to say goes to stderr."""
    command = (sys.executable, "-m", "infra.cli.sim.with_catchers", str(home), str(port))
    process = subprocess.Popen(  # noqa: S603 - our own command, and no shell
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main(home: str, port: str) -> None:
    """Serve for as long as the other end of the pipe is open."""
    from infra.catchers.serve import serve

    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        serve(Path(home), int(port))
    except OSError as taken:
        remedy = "choose free ones with keyfleet up --sim-port"
        sys.exit(f"messages to guests are caught by nobody: {taken.strerror or taken}; {remedy}")


def _end_with_parent() -> None:
    # The parent's death closes the other end too, however it dies; nothing here needs saving.
    while os.read(sys.stdin.fileno(), 1024):
        continue
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
