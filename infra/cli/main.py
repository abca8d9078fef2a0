"""The keyfleet command: what there is, and what each exit code means."""

from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from infra.cli.command import (
    at_a_place,
    at_a_simulator,
    on_its_own,
    serving_as_a_simulator,
    serving_at_a_place,
)
from infra.cli.late import Late, group, leaf, written
from infra.cli.problems import EXIT_CODES
from infra.cli.usage import Documented, ShowsFirst

EPILOG = "Exit codes: " + "; ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES) + "."


def sending(compose: Callable[..., Any]) -> Callable[..., None]:
    """Make a command about one fleet that sends what is composed."""
    from infra.cli.publishing import publishing

    return at_a_place(publishing(compose))


LETTERS: Final = {
    "list": leaf(at_a_place, "dead_letter:list_letters"),
    "replay": leaf(at_a_place, "dead_letter:replay"),
    "discard": leaf(at_a_place, "dead_letter:discard"),
}
RESIDUES: Final = {
    "list": leaf(at_a_place, "residue:list_residues"),
    "close": leaf(at_a_place, "residue:close"),
}
FINDINGS: Final = {
    "list": leaf(at_a_place, "findings:list_findings"),
    "adopt": leaf(at_a_place, "findings:adopt"),
    "remove": leaf(at_a_place, "findings:remove"),
    "place": leaf(at_a_place, "findings:place"),
}
HOTELS: Final = {
    "import": leaf(at_a_place, "hotel:import_hotel"),
}
STAYS: Final = {
    "show": leaf(at_a_place, "stay"),
    "extend": leaf(at_a_place, "stay_changes:extend"),
    "move": leaf(at_a_place, "stay_changes:move"),
    "hold": leaf(at_a_place, "holding:hold"),
    "release": leaf(at_a_place, "holding:release"),
}
KEYS: Final = {
    "end": leaf(at_a_place, "key_orders:end"),
    "replace": leaf(at_a_place, "key_orders:replace"),
    "copy": leaf(at_a_place, "key_orders:copy"),
    "once": leaf(at_a_place, "key_orders:once"),
    "backup": leaf(at_a_place, "key_orders:backup"),
}
MESSAGES: Final = {
    "list": leaf(at_a_place, "messages:list_messages"),
    "show": leaf(at_a_place, "messages:show_message"),
    "resend": leaf(at_a_place, "messages:resend"),
    "settings": leaf(at_a_place, "message_settings:settings"),
    "apps": leaf(at_a_place, "messages:apps"),
    "outbox": leaf(on_its_own, "messages:outbox", hidden=True),
}
WORKFLOWS: Final = {
    "run": leaf(on_its_own, "workflow_files:run"),
    "check": leaf(on_its_own, "workflow_files:check"),
    "start": leaf(at_a_place, "executions:start"),
    "list": leaf(at_a_place, "executions:list_executions"),
    "show": leaf(at_a_place, "executions:show"),
    "cancel": leaf(at_a_place, "executions:cancel"),
}
SCHEDULES: Final = {
    "list": leaf(at_a_place, "schedule:list_schedules"),
    "run": leaf(at_a_place, "schedule:run_schedule"),
}
SEALING: Final = {
    "list": leaf(at_a_place, "keys:list_keys"),
    "rotate": leaf(at_a_place, "keys:rotate"),
    "reseal": leaf(at_a_place, "keys:reseal"),
    "retire": leaf(at_a_place, "keys:retire"),
}
FAULTS: Final = {
    "add": leaf(at_a_simulator, "sim.faults:add"),
    "operations": leaf(at_a_simulator, "sim.faults:operations"),
    "list": leaf(at_a_simulator, "sim.faults:list_faults"),
    "clear": leaf(at_a_simulator, "sim.faults:clear"),
}
SIM: Final = {
    "run": leaf(serving_as_a_simulator, "sim.run:run"),
    "locks": leaf(at_a_simulator, "sim.doors:locks"),
    "state": leaf(at_a_simulator, "sim.doors:state"),
    "try": leaf(at_a_simulator, "sim.doors:try_door"),
    "lock": leaf(at_a_simulator, "sim.doors:change_lock"),
    "gateway": leaf(at_a_simulator, "sim.doors:change_gateway"),
    "calls": leaf(at_a_simulator, "sim.calls:calls"),
    "clock": leaf(at_a_simulator, "sim.calls:clock"),
    "reset": leaf(at_a_simulator, "sim.calls:reset"),
    "fault": group("What goes wrong at the simulated vendor.", FAULTS),
}
COMMANDS: Final = {
    "up": leaf(serving_at_a_place, "up"),
    "status": leaf(at_a_place, "status"),
    "alerts": leaf(at_a_place, "alerts"),
    "publish": leaf(sending, "publish"),
    "events": leaf(on_its_own, "events"),
    "trigger": leaf(at_a_place, "trigger"),
    "clock": leaf(at_a_place, "clock"),
    "credentials": leaf(at_a_place, "credentials"),
    "ask-again": leaf(at_a_place, "ask_again"),
    "hold": leaf(at_a_place, "holding:hold"),
    "release": leaf(at_a_place, "holding:release"),
    "retry": leaf(at_a_place, "retry"),
    "quota": leaf(at_a_place, "quota"),
    "reconcile": leaf(at_a_place, "reconcile"),
    "devices": leaf(at_a_place, "locks:list_devices"),
    "out-of-use": leaf(at_a_place, "locks:out_of_use"),
    "doors": leaf(at_a_place, "locks:doors"),
    "challenge": leaf(at_a_place, "locks:challenge"),
    "attempts": leaf(at_a_place, "locks:attempts"),
    "map": leaf(at_a_place, "locks:show_map"),
    "why": leaf(at_a_place, "why"),
    "timeline": leaf(at_a_place, "timeline"),
    "token": leaf(at_a_place, "token"),
    "console": leaf(at_a_place, "console"),
    "listen": leaf(at_a_place, "listen"),
    "mcp": leaf(at_a_place, "mcp.serve:mcp"),
    "document": leaf(at_a_place, "document"),
    "doctor": leaf(at_a_place, "doctor.examine:doctor"),
    "demo": leaf(on_its_own, "demo.play:demo"),
    "drill": leaf(on_its_own, "drill"),
    "capacity": leaf(on_its_own, "capacity"),
    "new-vendor": leaf(on_its_own, "new_vendor"),
    "verify": leaf(on_its_own, "verify"),
    "dead-letters": leaf(at_a_place, "dead_letter:list_letters", hidden=True),
    "schedules": leaf(at_a_place, "schedule:list_schedules", hidden=True),
    "dead-letter": group("Messages that were set aside, until somebody decides.", LETTERS),
    "residue": group("What is left at locks that would not let go of a key.", RESIDUES),
    "account": written("account"),
    "canary": written("canary"),
    "audit": written("audit"),
    "tenant": written("tenant"),
    "backup": written("backup"),
    "break-glass": written("break_glass"),
    "cost": written("cost"),
    "bulk": written("bulk"),
    "staff": written("staff"),
    "webhook": written("webhooks:webhook"),
    "desk": written("desk"),
    "finding": group("What at locks is not as the ledger has it, until it is settled.", FINDINGS),
    "hotel": group("Hotels, set up from a file.", HOTELS),
    "stay": group("One stay, shown or changed.", STAYS, ShowsFirst),
    "key": group("One key, ended, replaced or copied on a person's word.", KEYS),
    "message": group("What guests were told of their keys, and how far it came.", MESSAGES),
    "workflow": group("Workflow files, and executions on a running fleet.", WORKFLOWS),
    "schedule": group("What the clock starts.", SCHEDULES),
    "keys": group("The keys that seal what must stay secret.", SEALING),
    "sim": group("Simulated vendors and their doors, to play with.", SIM),
}


class Root(Documented):
    """The root of all commands, none of which is read in before it is asked for."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.commands = READ_IN


READ_IN: Final = Late(COMMANDS)
"""Shared by all who ask, so that nothing is read in twice."""


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
    cls=Root,
    epilog=EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def keyfleet(_version: Version = False) -> None:
    """Hotel reservations become door keys: the function fleet, on one machine."""


def main() -> None:
    """Run the command."""
    app()
