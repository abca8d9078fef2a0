"""`keyfleet cost show|price`: what vendors did for a company in a month, how well, and what it cost."""

from typing import Annotated
from urllib.parse import quote

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain, table
from infra.cli.command import at_a_place
from infra.cli.person import Json, tenant_admin

API = "account-api/lock/v1"
Tenant = Annotated[str, typer.Option(help="Whose it is, such as tnt_silk.")]
By = Annotated[str, typer.Option(help="Who asks, such as usr_admin.")]
Amount = Annotated[str, typer.Option(help="An amount such as 0.02.")]
cost = typer.Typer(no_args_is_help=True, help="What vendors cost, by prices that each company says.")


def show(
    at: FleetAddress,
    month: Annotated[str, typer.Argument(help="The month, such as 2026-11.")],
    tenant: Tenant,
    by: By = "usr_local",
) -> Answer:
    """Show a month: keys issued and taken back at each vendor and property, how well, and what it cost."""
    facts = tenant_admin(at, tenant, by).ask(f"{API}/costs?month={quote(month, safe='')}")
    heads = ("vendor", "property", "issued", "well", "p95 ms", "taken back", "well", "locks", "cost")
    rows = [_row(each) for each in facts["rows"]]
    sums = [line(plain(f"{amount} {currency}", "bold")) for currency, amount in facts["sums"].items()]
    return Answer(facts, (table(heads, rows) if rows else line("Nothing was done."), *sums))


def price(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    at: FleetAddress,
    vendor: Annotated[str, typer.Argument(help="The vendor's code: keyfleet account list.")],
    tenant: Tenant,
    by: By,
    currency: Annotated[str, typer.Option(help="In three letters, such as EUR.")],
    issue: Amount = "0",
    revoke: Amount = "0",
    lock_month: Amount = "0",
) -> Answer:
    """Say what a vendor takes of a company: of a key, of taking one back, of a lock's month."""
    wanted = {
        "vendor": vendor,
        "currency": currency,
        "issue": issue,
        "revoke": revoke,
        "lockMonth": lock_month,
    }
    facts = tenant_admin(at, tenant, by).ask(f"{API}/vendor-prices", wanted, "PUT")
    said = f" takes {issue} of a key, {revoke} of its end and {lock_month} of a lock's month, in {currency}."
    return Answer(facts, (line(plain(vendor, "bold"), said),))


def _row(of: Json) -> tuple[str, ...]:
    return (
        of["vendor"],
        of["propertyId"],
        str(of["issued"]),
        _percent(of.get("issueSuccessRate")),
        str(of.get("issueP95Ms", "")),
        str(of["revoked"]),
        _percent(of.get("revokeSuccessRate")),
        str(of["locks"]),
        _cost(of),
    )


def _cost(of: Json) -> str:
    if "countedSince" in of:
        return f"not counted before {of['countedSince']}"
    return f"{of['cost']} {of['currency']}" if "cost" in of else "no price is known"


def _percent(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.1%}"


cost.command("show")(at_a_place(show))
cost.command("price")(at_a_place(price))
