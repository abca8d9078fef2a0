"""`keyfleet account list|rotate|next`: vendors' accounts of properties, and their replacement."""

from pathlib import Path
from typing import Annotated, Final

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, moment, plain, table
from infra.cli.command import at_a_place
from infra.cli.inputs import json_file
from infra.cli.person import Json, tenant_admin
from infra.cli.problems import Refused

ROUTE = "account-api/lock/v1/vendor-accounts"
Tenant = Annotated[str, typer.Option(help="Whose it is, such as tnt_silk.")]
Place = Annotated[str, typer.Option("--property", help="The property, such as ppt_kabul.")]
Vendor = Annotated[str, typer.Option(help="The vendor's code: keyfleet account list.")]
By = Annotated[str, typer.Option(help="Who orders it, such as usr_admin.")]
STAGES: Final = {
    "resting": "in use",
    "awaiting": "in use, the next is awaited",
    "overlapping": "in use, beside the one before",
}
account = typer.Typer(no_args_is_help=True, help="Vendors' accounts, and their replacement.")


def list_accounts(at: FleetAddress, tenant: Tenant, by: By = "usr_local") -> Answer:
    """List the accounts of a tenant, those used longest first; nothing of what they hold."""
    facts = tenant_admin(at, tenant, by).ask(ROUTE)
    heads = ("vendor", "property", "stage", "used since", "lasts until", "the next is not used, for")
    rows = [
        (
            each["vendor"],
            each["propertyId"],
            STAGES.get(each["stage"], each["stage"]),
            moment(each["usedSince"]),
            moment(each["lastsUntil"]),
            each.get("refused", ""),
        )
        for each in facts["accounts"]
    ]
    return Answer(facts, (table(heads, rows) if rows else line("No account is noted yet."),))


def rotate(
    at: FleetAddress,
    tenant: Tenant,
    place: Place,
    vendor: Vendor,
    by: By,
    because: Annotated[str, typer.Option(help="Why, in one word, such as leaked.")] = "by_time",
) -> Answer:
    """Begin to replace a property's account at a vendor; it is used until the next one is proven."""
    wanted = {"propertyId": place, "vendor": vendor, "because": because}
    facts = tenant_admin(at, tenant, by).ask(f"{ROUTE}/rotations", wanted)
    return _said(facts, "Bring the next one: keyfleet account next FILE …")


def bring(
    at: FleetAddress,
    file: Annotated[Path, typer.Argument(help="The next account as JSON, as the vendor's runbook shows it.")],
    tenant: Tenant,
    place: Place,
    vendor: Vendor,
    by: By,
) -> Answer:
    """Bring the next account: it is sealed, tried at the vendor, and used if it sees the same locks."""
    fields = json_file(file, "FILE")
    if not isinstance(fields, dict):
        raise Refused(f"{file} holds no JSON object", "write it as the vendor's runbook shows")
    wanted = {"propertyId": place, "vendor": vendor, "account": fields}
    facts = tenant_admin(at, tenant, by).ask(f"{ROUTE}/next", wanted)
    return _said(facts, f"It is being tried; delete {file}. See what came of it: keyfleet account list")


def _said(facts: Json, next_: str) -> Answer:
    name = f"{facts['vendor']} of {facts['propertyId']}"
    return Answer(
        facts, (line(plain(name, "bold"), f": {STAGES.get(facts['stage'], facts['stage'])}."), line(next_))
    )


for _name, _command in (("list", list_accounts), ("rotate", rotate), ("next", bring)):
    account.command(_name)(at_a_place(_command))
