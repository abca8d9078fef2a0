"""`keyfleet stay show STAY`, or `keyfleet stay STAY`: how it stands, and what was made of each event."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.credentials import STYLES
from infra.cli.two_stays import of_both
from infra.cli.wall import both

Json = Mapping[str, Any]
FIRST = "first"
PLANNED = {
    "hold_for_no_show": "nobody came: its keys rest from",
    "release_from_no_show": "the guest came: its keys wake from",
}
LOUD = {"ignored": "yellow", "refused": "bold red", "applied": "green"}
Id = Annotated[str, typer.Argument(help="The booking, such as rsv_1.")]
Tenant = Annotated[str | None, typer.Option(help="Whose it is, where two tenants have the same id.")]


def stay(at: FleetAddress, identity: Id, tenant: Tenant = None) -> Answer:
    """Show how a stay stands: what was booked, what holds it, its keys, and what was made of each event."""
    facts = ControlPlane(at).get("stays", identity, tenant=tenant)
    return Answer(facts, tuple(_said(at, facts)))


def _said(at: FleetAddress, facts: Json) -> Iterator[Text]:
    whose = (
        f"  {facts['guest'] or 'nobody yet'} of {facts['tenant']}, {facts['property'] or 'no property yet'}"
    )
    yield line(plain(facts["reservation"], "bold"), "  ", plain(facts["status"].replace("_", " ")), whose)
    if facts["from"]:
        begins, ends = (both(facts[name], facts["zone"]) for name in ("from", "until"))
        yield line(f"    {', '.join(facts['rooms'])}, from {begins}, until {ends}")
    if facts["refused"]:
        yield line(plain("    as it is it can have no key: the refused event below says why", "bold red"))
    for reason in facts["holds"]:
        release = f"keyfleet release {facts['reservation']} --reason {reason} --by usr_…{at.flags}"
        yield line(plain(f"    held: {reason.replace('_', ' ')}", "yellow"), f"; {release}")
    for plan in facts.get("planned", ()):
        yield line(f"    {PLANNED[plan['what']]} {both(plan['at'], facts['zone'])}")
    for key in facts["keys"]:
        role = "" if key.get("role", FIRST) == FIRST else f", a {key['role'].replace('_', '-')}"
        state = plain(key["state"], STYLES.get(key["state"], "dim"))
        yield line("    ", plain(key["id"], "bold"), "  ", state, role)
        yield from of_both(key, facts["reservation"], "      ")
    if not facts["keys"]:
        yield line("    no key")
    for event in facts["heard"]:
        yield from _event(event, facts["zone"])


def _event(event: Json, zone: str | None) -> Iterator[Text]:
    version = "" if event["version"] is None else f", version {event['version']}"
    because = f": {event['because']}" if event["because"] else ""
    heard = f"heard {both(event['heard_at'], zone)}" if event["heard_at"] else "heard"
    yield line(
        "    ",
        plain(event["outcome"], LOUD.get(event["outcome"], "")),
        f"  {event['subject'].split('.')[-2]} ({event['event']}{version}), {heard}{because}",
    )
    if event["reused_at"]:
        again = f"      its id came again with other content at {both(event['reused_at'], zone)}, not heeded"
        yield line(plain(again, "bold red"))
