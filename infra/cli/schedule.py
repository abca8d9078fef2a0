"""`keyfleet schedule`: do now what the clock would do later."""

from typing import Annotated

import typer

from infra.cli.answer import Answer, line
from infra.cli.control import ControlPlane
from infra.cli.place import Place

Name = Annotated[str, typer.Argument(help="A function with a schedule, such as probe-start.")]


def run_schedule(at: Place, name: Name) -> Answer:
    """Run a scheduled function now; its schedule goes on as before."""
    facts = ControlPlane(at).post("schedules", name, "run")
    return Answer(facts, (line(f"{name} runs now."),))
