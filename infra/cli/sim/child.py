"""A simulator that ends with its parent, its stdin: `python -m infra.cli.sim.child VENDOR HOME PORT`."""

import os
import sys
import threading
from pathlib import Path

from infra.cli.answer import print_problem
from infra.cli.problems import Problem
from infra.cli.sim.run import play
from infra.cli.sim.simulator import Simulator


def main(vendor: str, home: str, port: str) -> None:
    """Serve for as long as the other end of the pipe is open."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        play(Simulator(Path(home), int(port)), vendor)
    except Problem as problem:
        print_problem(problem, as_json=False)
        sys.exit(problem.exit_code)


def _end_with_parent() -> None:
    # The parent's death closes the other end too, however it dies. Nothing here needs saving, and a call
    # that a fault rule keeps waiting must not keep us.
    while os.read(sys.stdin.fileno(), 1024):
        continue
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
