"""`keyfleet schedule`: what the clock starts, and to do it now."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, moment, table
from infra.cli.control import ControlPlane

Name = Annotated[str, typer.Argument(help="A schedule, as schedule list shows it, such as probe-start.")]


def list_schedules(at: FleetAddress) -> Answer:
    """List what the clock starts: when, what it calls, how that went last, and when it is next."""
    facts = ControlPlane(at).get("schedules")
    heads = ("schedule", "when", "last run (UTC)", "outcome", "next run (UTC)", "calls")
    return Answer(facts, (table(heads, map(_row, facts["schedules"])),))


def _row(schedule: Mapping[str, Any]) -> tuple[str, ...]:
    last = schedule["last_run"]
    return (
        schedule["name"],
        f"{schedule['cron']} ({schedule['zone']})",
        "not yet" if last is None else moment(last),
        schedule["last_outcome"] or "",
        moment(schedule["next_run"]),
        schedule["calls"],
    )


def run_schedule(at: FleetAddress, name: Name) -> Answer:
    """Run a scheduled function now, and say how that went; its schedule goes on as before."""
    facts = ControlPlane(at).post("schedules", name, "run")
    return Answer(facts, (line(f"{name} ran: {facts['outcome']}."),), 0 if facts["succeeded"] else 1)
