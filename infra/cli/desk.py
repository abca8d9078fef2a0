"""`keyfleet desk`: front-desk machines: codes to pair them, their list, their staff, an end to a lost one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, moment, plain, table
from infra.cli.command import at_a_place
from infra.cli.control import ControlPlane
from infra.cli.inputs import json_file

ORDERS: Final = "desk-orders"
Tenant = Annotated[str, typer.Option(help="Whose hotel, such as tnt_silk.")]
Place = Annotated[str, typer.Option("--property", help="Which hotel, such as ppt_kabul.")]
By = Annotated[str, typer.Option(help="Who orders it, such as usr_7.")]

desk = typer.Typer(no_args_is_help=True, help="Front-desk machines: pair them, list them, stop a lost one.")


def invite(
    at: FleetAddress,
    tenant: Tenant,
    place: Place,
    by: By,
    name: Annotated[str, typer.Option(help="What the desk is called.")] = "Front desk",
) -> Answer:
    """Give out a code: the machine that shows it within ten minutes becomes a desk."""
    facts = _ordered(at, do="invite", tenant=tenant, property=place, by=by, name=name)
    command = f"keyfleet-edge pair --cloud {at.base_url}/edge-gateway --tenant {tenant} {facts['code']}"
    said = line("The code is good until ", plain(moment(facts["ends"])), " UTC, for one machine. There:")
    return Answer({**facts, "command": command}, (said, plain(command)))


def list_desks(at: FleetAddress, tenant: Tenant, place: Place) -> Answer:
    """List a hotel's desks."""
    facts = _ordered(at, do="list", tenant=tenant, property=place)
    heads = ("desk", "name", "paired (UTC)", "certified until", "stopped", "locks to pair anew")
    rows = [
        (
            each["desk"],
            each["name"],
            moment(each["paired_at"]),
            moment(each["certified_until"]),
            moment(each["stopped_at"]) if each["stopped_at"] else "",
            ", ".join(each["locks_left"]),
        )
        for each in facts["desks"]
    ]
    return Answer(facts, (table(heads, rows) if rows else line("No desk is paired here."),))


def stop(
    at: FleetAddress, desk: Annotated[str, typer.Argument(help="Which desk.")], tenant: Tenant, by: By
) -> Answer:
    """Let a desk in no more, and have its certificates count no more."""
    facts = _ordered(at, do="stop", tenant=tenant, desk=desk, by=by)
    said = [line(plain(facts["desk"], "bold"), " is stopped; what it did before is kept.")]
    if facts["locks_left"]:
        locks = ", ".join(facts["locks_left"])
        said.append(line(f"It can open {locks} on: pair them anew, and bring their keys (desk lock-keys)."))
    return Answer(facts, tuple(said))


def staff(
    at: FleetAddress,
    user: Annotated[str, typer.Argument(help="Who, such as usr_7.")],
    tenant: Tenant,
    place: Place,
    role: Annotated[list[str] | None, typer.Option(help="A role; again for more; none takes away.")] = None,
) -> Answer:
    """Say who may work at a hotel's desks; the person types a PIN of 6 to 12 digits, which is not shown."""
    pin = typer.prompt("PIN", hide_input=True, confirmation_prompt=True, err=True) if role else None
    facts = _ordered(at, do="staff", tenant=tenant, property=place, user=user, roles=role or [], pin=pin)
    named = ", ".join(facts["staff"]) or "nobody"
    return Answer(facts, (line(f"At the desks of {place}: {named}."),))


def lock_keys(
    at: FleetAddress,
    lock: Annotated[str, typer.Argument(help="Which lock, such as lck_….")],
    tenant: Tenant,
    place: Place,
    by: By,
    file: Annotated[
        Path | None, typer.Option(help="JSON with mac, aes, admin and unlock; left out, they are taken away.")
    ] = None,
) -> Answer:
    """Keep what opens a lock to the desks in its radio's reach; whoever paired the lock has it."""
    keys = None if file is None else json_file(file, "--file")
    facts = _ordered(at, do="lock-keys", tenant=tenant, property=place, lock=lock, by=by, keys=keys)
    named = ", ".join(facts["locks"]) or "none"
    return Answer(facts, (line(f"Desks of {place} may speak by radio to: {named}."),))


def _ordered(at: FleetAddress, **what: Any) -> Mapping[str, Any]:
    return ControlPlane(at).call(ORDERS, what)


desk.command("invite")(at_a_place(invite))
desk.command("list")(at_a_place(list_desks))
desk.command("stop")(at_a_place(stop))
desk.command("staff")(at_a_place(staff))
desk.command("lock-keys")(at_a_place(lock_keys))
