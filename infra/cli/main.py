"""The keyfleet command: what there is, and what each exit code means."""

from typing import Annotated

import typer

from infra.cli import (
    dead_letter,
    executions,
    findings,
    hotel,
    key_orders,
    keys,
    locks,
    message_settings,
    messages,
    residue,
    schedule,
    workflow_files,
)
from infra.cli.account import account
from infra.cli.alerts import alerts
from infra.cli.ask_again import ask_again
from infra.cli.audit import audit
from infra.cli.backup import backup
from infra.cli.break_glass import break_glass
from infra.cli.bulk import bulk
from infra.cli.canary import canary
from infra.cli.capacity import capacity
from infra.cli.clock import clock
from infra.cli.command import (
    at_a_place,
    at_a_simulator,
    on_its_own,
    serving_as_a_simulator,
    serving_at_a_place,
)
from infra.cli.console import console
from infra.cli.cost import cost
from infra.cli.credentials import credentials
from infra.cli.demo.play import demo
from infra.cli.desk import desk
from infra.cli.doctor.examine import doctor
from infra.cli.document import document
from infra.cli.drill import drill
from infra.cli.events import events
from infra.cli.holding import hold, release
from infra.cli.listen import listen
from infra.cli.mcp.serve import mcp
from infra.cli.new_vendor import new_vendor
from infra.cli.problems import EXIT_CODES
from infra.cli.publish import publish
from infra.cli.publishing import publishing
from infra.cli.quota import quota
from infra.cli.reconcile import reconcile
from infra.cli.retry import retry
from infra.cli.sim import calls, doors, faults
from infra.cli.sim.run import run as run_simulator
from infra.cli.staff import staff
from infra.cli.status import status
from infra.cli.stay import stay
from infra.cli.stay_changes import extend, move
from infra.cli.tenant import tenant
from infra.cli.timeline import timeline
from infra.cli.token import token
from infra.cli.trigger import trigger
from infra.cli.up import up
from infra.cli.usage import Documented, ShowsFirst
from infra.cli.verify import verify
from infra.cli.webhooks import webhook
from infra.cli.why import why

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
    cls=Documented,
    epilog=EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
letters = typer.Typer(no_args_is_help=True, help="Messages that were set aside, until somebody decides.")
workflow = typer.Typer(no_args_is_help=True, help="Workflow files, and executions on a running fleet.")
residues = typer.Typer(no_args_is_help=True, help="What is left at locks that would not let go of a key.")
found = typer.Typer(
    no_args_is_help=True, help="What at locks is not as the ledger has it, until it is settled."
)
schedules = typer.Typer(no_args_is_help=True, help="What the clock starts.")
hotels = typer.Typer(no_args_is_help=True, help="Hotels, set up from a file.")
stays = typer.Typer(cls=ShowsFirst, no_args_is_help=True, help="One stay, shown or changed.")
key = typer.Typer(no_args_is_help=True, help="One key, ended, replaced or copied on a person's word.")
message = typer.Typer(no_args_is_help=True, help="What guests were told of their keys, and how far it came.")
sealing = typer.Typer(no_args_is_help=True, help="The keys that seal what must stay secret.")
sim = typer.Typer(no_args_is_help=True, help="Simulated vendors and their doors, to play with.")
fault = typer.Typer(no_args_is_help=True, help="What goes wrong at the simulated vendor.")


@app.callback()
def keyfleet(_version: Version = False) -> None:
    """Hotel reservations become door keys: the function fleet, on one machine."""


app.command("up")(serving_at_a_place(up))
app.command("status")(at_a_place(status))
app.command("alerts")(at_a_place(alerts))
app.command("publish")(at_a_place(publishing(publish)))
app.command("events")(on_its_own(events))
app.command("trigger")(at_a_place(trigger))
app.command("clock")(at_a_place(clock))
app.command("credentials")(at_a_place(credentials))
app.command("ask-again")(at_a_place(ask_again))
app.command("hold")(at_a_place(hold))
app.command("release")(at_a_place(release))
app.command("retry")(at_a_place(retry))
app.command("quota")(at_a_place(quota))
app.command("reconcile")(at_a_place(reconcile))
app.command("devices")(at_a_place(locks.list_devices))
app.command("out-of-use")(at_a_place(locks.out_of_use))
app.command("doors")(at_a_place(locks.doors))
app.command("challenge")(at_a_place(locks.challenge))
app.command("attempts")(at_a_place(locks.attempts))
app.command("map")(at_a_place(locks.show_map))
app.command("why")(at_a_place(why))
app.command("timeline")(at_a_place(timeline))
app.command("token")(at_a_place(token))
app.command("console")(at_a_place(console))
app.command("listen")(at_a_place(listen))
app.command("mcp")(at_a_place(mcp))
app.command("document")(at_a_place(document))
app.command("doctor")(at_a_place(doctor))
app.command("demo")(on_its_own(demo))
app.command("drill")(on_its_own(drill))
app.command("capacity")(on_its_own(capacity))
app.command("new-vendor")(on_its_own(new_vendor))
app.command("verify")(on_its_own(verify))
app.command("dead-letters", hidden=True)(at_a_place(dead_letter.list_letters))
app.command("schedules", hidden=True)(at_a_place(schedule.list_schedules))
app.add_typer(letters, name="dead-letter")
app.add_typer(residues, name="residue")
app.add_typer(account, name="account")
app.add_typer(canary, name="canary")
app.add_typer(audit, name="audit")
app.add_typer(tenant, name="tenant")
app.add_typer(backup, name="backup")
app.add_typer(break_glass, name="break-glass")
app.add_typer(cost, name="cost")
app.add_typer(bulk, name="bulk")
app.add_typer(staff, name="staff")
app.add_typer(webhook, name="webhook")
app.add_typer(desk, name="desk")
app.add_typer(found, name="finding")
app.add_typer(hotels, name="hotel")
app.add_typer(stays, name="stay")
app.add_typer(key, name="key")
app.add_typer(message, name="message")
app.add_typer(workflow, name="workflow")
app.add_typer(schedules, name="schedule")
app.add_typer(sealing, name="keys")
app.add_typer(sim, name="sim")
sim.add_typer(fault, name="fault")
letters.command("list")(at_a_place(dead_letter.list_letters))
letters.command("replay")(at_a_place(dead_letter.replay))
letters.command("discard")(at_a_place(dead_letter.discard))
residues.command("list")(at_a_place(residue.list_residues))
residues.command("close")(at_a_place(residue.close))
hotels.command("import")(at_a_place(hotel.import_hotel))
stays.command("show")(at_a_place(stay))
stays.command("extend")(at_a_place(extend))
stays.command("move")(at_a_place(move))
stays.command("hold")(at_a_place(hold))
stays.command("release")(at_a_place(release))
key.command("end")(at_a_place(key_orders.end))
key.command("replace")(at_a_place(key_orders.replace))
key.command("copy")(at_a_place(key_orders.copy))
key.command("once")(at_a_place(key_orders.once))
key.command("backup")(at_a_place(key_orders.backup))
message.command("list")(at_a_place(messages.list_messages))
message.command("show")(at_a_place(messages.show_message))
message.command("resend")(at_a_place(messages.resend))
message.command("settings")(at_a_place(message_settings.settings))
message.command("apps")(at_a_place(messages.apps))
message.command("outbox", hidden=True)(on_its_own(messages.outbox))
found.command("list")(at_a_place(findings.list_findings))
found.command("adopt")(at_a_place(findings.adopt))
found.command("remove")(at_a_place(findings.remove))
found.command("place")(at_a_place(findings.place))
workflow.command("run")(on_its_own(workflow_files.run))
workflow.command("check")(on_its_own(workflow_files.check))
workflow.command("start")(at_a_place(executions.start))
workflow.command("list")(at_a_place(executions.list_executions))
workflow.command("show")(at_a_place(executions.show))
workflow.command("cancel")(at_a_place(executions.cancel))
sealing.command("list")(at_a_place(keys.list_keys))
sealing.command("rotate")(at_a_place(keys.rotate))
sealing.command("reseal")(at_a_place(keys.reseal))
sealing.command("retire")(at_a_place(keys.retire))
schedules.command("list")(at_a_place(schedule.list_schedules))
schedules.command("run")(at_a_place(schedule.run_schedule))
sim.command("run")(serving_as_a_simulator(run_simulator))
sim.command("locks")(at_a_simulator(doors.locks))
sim.command("state")(at_a_simulator(doors.state))
sim.command("try")(at_a_simulator(doors.try_door))
sim.command("lock")(at_a_simulator(doors.change_lock))
sim.command("gateway")(at_a_simulator(doors.change_gateway))
sim.command("calls")(at_a_simulator(calls.calls))
sim.command("clock")(at_a_simulator(calls.clock))
sim.command("reset")(at_a_simulator(calls.reset))
fault.command("add")(at_a_simulator(faults.add))
fault.command("operations")(at_a_simulator(faults.operations))
fault.command("list")(at_a_simulator(faults.list_faults))
fault.command("clear")(at_a_simulator(faults.clear))


def main() -> None:
    """Run the command."""
    app()
