"""`keyfleet staff issue|show|revoke`: what staff may open, on a manager's word."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.command import at_a_place
from infra.cli.control import ControlPlane
from infra.cli.credentials import STYLES
from infra.cli.problems import not_found
from infra.cli.wall import both

Json = Mapping[str, Any]
ISSUE, REVOKE = "issue-master-key", "revoke-master-key"
STATE_STYLES = {"live": "green", "requested": "yellow", "expired": "dim"}
Staff = Annotated[str, typer.Argument(help="The member of staff, such as usr_7.")]
Named = Annotated[str, typer.Argument(help="A person (usr_…), a property (ppt_…) or a master key (mky_…).")]
By = Annotated[str, typer.Option(help="Who orders it, such as usr_gm.")]
Property = Annotated[str, typer.Option(help="At which property, such as ppt_kabul.")]
Scope = Annotated[
    list[str], typer.Option(help="What it opens: room:…, floor:3, rooms:assigned, rooms:all, areas:spa …")
]
Week = Annotated[
    list[str] | None, typer.Option(help="A standing key's shifts, such as 'mon-fri 06:00-14:00'.")
]
Standing = Annotated[bool, typer.Option("--standing", help="A standing key that shifts open and close.")]
From = Annotated[
    str | None, typer.Option("--from", help="From when, such as 2026-05-01T06:00:00Z; else now.")
]
Until = Annotated[str | None, typer.Option(help="Until when; a standing key is looked at after a year.")]
Kind = Annotated[str | None, typer.Option(help="The kind of key that is wanted first, such as rfid_card.")]
Tenant = Annotated[str, typer.Option(help="Whose staff it is, such as tnt_silk.")]
MaybeTenant = Annotated[str | None, typer.Option(help="Whose staff it is; else all are looked through.")]


def issue(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    at: FleetAddress,
    staff: Staff,
    tenant: Tenant,
    property: Property,  # noqa: A002 - what people type
    by: By,
    scope: Scope,
    week: Week = None,
    standing: Standing = False,
    starts: From = None,
    until: Until = None,
    kind: Kind = None,
) -> Answer:
    """Issue a master key for a time, or a standing one, of which nobody has two at one property."""
    body = {
        "tenant": tenant,
        "property": property,
        "staff": staff,
        "by": by,
        "scopes": scope,
        "week": week or [],
        "standing": standing,
        "from": starts,
        "until": until,
        "kind": kind,
    }
    given = {name: value for name, value in body.items() if value is not None}
    facts = ControlPlane(at).call(ISSUE, given)
    see = line(f"See how it stands: keyfleet staff show {facts['masterKey']}{at.flags}")
    return Answer(facts, (line(plain(facts["masterKey"], "bold"), f" is {facts['state']}, by {by}."), see))


def show(at: FleetAddress, name: Named, tenant: MaybeTenant = None) -> Answer:
    """Show what a person may open, every master key that a property had, or one."""
    about = {"usr_": "staff", "ppt_": "property", "mky_": "key"}.get(name[:4], "staff")
    facts = ControlPlane(at).get("staff", tenant=tenant, **{about: name})
    if not facts["masterKeys"]:
        return Answer(facts, (line(f"{name} has no master key."),))
    return Answer(facts, tuple(text for each in facts["masterKeys"] for text in _said(each)))


def revoke(at: FleetAddress, name: Named, by: By, tenant: MaybeTenant = None) -> Answer:
    """End a master key, or all of a person, at once: their locks follow."""
    control = ControlPlane(at)
    about = "key" if name.startswith("mky_") else "staff"
    found = control.get("staff", tenant=tenant, **{about: name})["masterKeys"]
    if not found:
        raise not_found("master key", [name], f"name one that keyfleet staff show{at.flags} lists")
    facts = control.call(REVOKE, {"tenant": found[0]["tenant"], about: name, "by": by})
    return Answer(facts, tuple(line(plain(each, "bold"), " is over.") for each in facts["revoked"]))


def _said(key: Json) -> Iterator[Text]:
    style = STATE_STYLES.get(key["state"], "")
    yield line(plain(key["masterKey"], "bold"), "  ", plain(key["state"], style), f"  {key['staff']}")
    yield line(f"    {', '.join(key['scopes'])}; {_regime(key)}")
    begins, ends = (both(key[name], key["zone"]) for name in ("from", "until"))
    yield line(f"    from {begins}, until {ends}, by {key['by']}")
    for each in key["credentials"]:
        rooms = f"{len(each['rooms'])} rooms" if len(each["rooms"]) > 4 else ", ".join(each["rooms"])
        yield line(
            "    ",
            plain(each["id"], "bold"),
            "  ",
            plain(each["state"], STYLES.get(each["state"], "dim")),
            f"  {rooms}",
        )
    if not key["credentials"]:
        yield line("    no credential yet: nothing is to be opened")


def _regime(key: Json) -> str:
    regime = key["regime"]
    if regime["kind"] == "per_shift":
        return f"for {regime['shift']}"
    return f"standing, {', '.join(regime['week']) or 'opened by shifts'}"


staff = typer.Typer(no_args_is_help=True, help="What staff may open: master keys by shift, week or word.")
staff.command("issue")(at_a_place(issue))
staff.command("show")(at_a_place(show))
staff.command("revoke")(at_a_place(revoke))
