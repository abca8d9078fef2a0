"""The keyfleet command: what there is, and what each exit code means."""

from typing import Annotated

import typer

from infra.cli import dead_letter, executions, schedule, workflow_files
from infra.cli.command import at_a_place, on_its_own
from infra.cli.demo.play import demo
from infra.cli.doctor.examine import doctor
from infra.cli.document import document
from infra.cli.problems import EXIT_CODES
from infra.cli.publish import publish
from infra.cli.status import status
from infra.cli.up import up

EPILOG = "Exit codes: " + "; ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES) + "."


def _version(asked: bool) -> None:
    from importlib.metadata import version

    if asked:
        print(f"keyfleet {version('keyfleet')}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
]

app = typer.Typer(
    name="keyfleet",
    epilog=EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
letters = typer.Typer(no_args_is_help=True, help="Messages that were set aside, until somebody decides.")
workflow = typer.Typer(no_args_is_help=True, help="Workflow files, and executions on a running fleet.")
schedules = typer.Typer(no_args_is_help=True, help="What the clock starts.")


@app.callback()
def keyfleet(_version: Version = False) -> None:
    """Hotel reservations become door keys: the function fleet, on one machine."""


app.command("up")(up)
app.command("status")(at_a_place(status))
app.command("publish")(at_a_place(publish))
app.command("document")(at_a_place(document))
app.command("doctor")(at_a_place(doctor))
app.command("demo")(on_its_own(demo))
app.add_typer(letters, name="dead-letter")
app.add_typer(workflow, name="workflow")
app.add_typer(schedules, name="schedule")
letters.command("list")(at_a_place(dead_letter.list_letters))
letters.command("replay")(at_a_place(dead_letter.replay))
letters.command("discard")(at_a_place(dead_letter.discard))
workflow.command("run")(on_its_own(workflow_files.run))
workflow.command("check")(on_its_own(workflow_files.check))
workflow.command("start")(at_a_place(executions.start))
workflow.command("list")(at_a_place(executions.list_executions))
workflow.command("show")(at_a_place(executions.show))
workflow.command("cancel")(at_a_place(executions.cancel))
schedules.command("run")(at_a_place(schedule.run_schedule))


def main() -> None:
    """Run the command."""
    app()
