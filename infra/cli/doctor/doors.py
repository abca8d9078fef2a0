"""The simulated doors beside a fleet: whether their clock is the fleet's."""

from collections.abc import Iterator

from infra.cli.address import FleetAddress
from infra.cli.doctor.finding import Finding, Verdict
from infra.cli.problems import Problem
from infra.cli.sim.odds import apart, remedy, said
from infra.cli.sim.simulator import TOKEN_FILE, simulator_at

DOORS = "simulated doors"


def check_doors(at: FleetAddress, port: int | None = None) -> Iterator[Finding]:
    """Do simulated doors that answer have the fleet's time? Where none were ever started, nothing is said."""
    try:
        doors = simulator_at(at, port)
        if not (at.home / TOKEN_FILE).exists():
            return
        seconds = apart(doors, doors.get("clock"))
    except (Problem, OSError):
        return
    if seconds is None:
        yield Finding(DOORS, Verdict.OK, "they go by the fleet's clock")
    else:
        yield Finding(DOORS, Verdict.FAILED, f"their clock is {said(seconds)} the fleet's", remedy(doors))
