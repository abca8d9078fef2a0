"""`keyfleet bulk list|show|revoke`: all keys of a property, or of a lock, and how far they are gone."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.command import at_a_place
from infra.cli.control import ControlPlane

Json = Mapping[str, Any]
BEGIN = "begin-bulk"
STAGES = {"revoking": "yellow", "removing": "yellow", "done": "green"}
Job = Annotated[str, typer.Argument(help="The job: the property or the lock that it is of.")]
By = Annotated[str, typer.Option(help="Who orders it, such as usr_gm.")]
Property = Annotated[str, typer.Option(help="The property, such as ppt_kabul.")]
Device = Annotated[
    str | None, typer.Option(help="A lock that is out of use: keys that it knew are replaced; else all end.")
]
Tenant = Annotated[str, typer.Option(help="Whose it is, such as tnt_silk.")]
MaybeTenant = Annotated[str | None, typer.Option(help="Whose it is; else all are looked through.")]


def list_jobs(at: FleetAddress, tenant: MaybeTenant = None) -> Answer:
    """List revocations of many keys, newest first."""
    facts = ControlPlane(at).get("bulk", tenant=tenant)
    jobs = facts["jobs"]
    return Answer(facts, tuple(map(_said, jobs)) if jobs else (line("No keys were revoked in bulk."),))


def show(at: FleetAddress, job: Job, tenant: MaybeTenant = None) -> Answer:
    """Show how far one is."""
    facts = ControlPlane(at).get("bulk", job, tenant=tenant)
    return Answer(facts, (_said(facts), *_more(at, facts)))


def revoke(
    at: FleetAddress,
    tenant: Tenant,
    property: Property,  # noqa: A002 - what people type
    by: By,
    device: Device = None,
) -> Answer:
    """Close a property and revoke all its keys; or replace the keys of one of its locks, and unmap that."""
    body = {"tenant": tenant, "property": property, "by": by, "device": device}
    facts = ControlPlane(at).call(BEGIN, {name: each for name, each in body.items() if each is not None})
    see = line(f"See how far it is: keyfleet bulk show {facts['job']}{at.flags}")
    return Answer(facts, (line(plain(facts["job"], "bold"), f" is {facts['stage']}, by {by}."), see))


def _said(job: Json) -> Text:
    counts = f"{job['revoked']} revoked, {job['removed']} gone from their locks, {job['residual']} not"
    stage = plain(job["stage"], STAGES.get(job["stage"], ""))
    return line(plain(job["job"], "bold"), f" of {job['tenant']}  ", stage, f"  {counts}")


def _more(at: FleetAddress, job: Json) -> list[Text]:
    said = [line(f"    page {min(job['page'] + 1, job['pages'])} of {job['pages']}, moved {job['moved_at']}")]
    if job["residual"]:
        said.append(line(plain(f"    see keyfleet residue list{at.flags}", "yellow")))
    return said


bulk = typer.Typer(no_args_is_help=True, help="Many keys revoked at once: of a property, or of a lock.")
bulk.command("list")(at_a_place(list_jobs))
bulk.command("show")(at_a_place(show))
bulk.command("revoke")(at_a_place(revoke))
