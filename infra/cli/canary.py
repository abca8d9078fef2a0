"""`keyfleet canary begin|list|stop`: vendors' next builds on trial, and how they do."""

from typing import Annotated, Any, Final

import typer

from infra.cli.account import By, Place, Tenant
from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, moment, plain, table
from infra.cli.command import at_a_place
from infra.cli.person import Json, tenant_admin

ROUTE: Final = "canary-api/lock/v1/canaries"
FIGURES: Final = (
    ("issueSuccessRate", "keys"),
    ("issueP95Ms", "p95 ms"),
    ("revokeSuccessRate", "removals"),
    ("vendorErrorRate", "errors"),
)
canary = typer.Typer(no_args_is_help=True, help="Vendors' next builds on trial.")


def begin(
    at: FleetAddress,
    vendor: Annotated[str, typer.Argument(help="The vendor whose adapter has a next build: its code.")],
    tenant: Tenant,
    place: Place,
    by: By,
) -> Answer:
    """Put a vendor's next build on trial: at a pilot first; if it does worse, it goes back by itself."""
    facts = tenant_admin(at, tenant, by).ask(ROUTE, {"vendor": vendor, "propertyId": place})
    return _said(facts, f"See how it does: keyfleet canary list --tenant {tenant}{at.flags}")


def list_canaries(at: FleetAddress, tenant: Tenant, by: By = "usr_local") -> Answer:
    """List the last trial of each vendor's next build, with its figures beside those of the week before."""
    facts = tenant_admin(at, tenant, by).ask(ROUTE)
    heads = ("vendor", "pilot", "build", "stage", "step", "since", *(head for _, head in FIGURES), "because")
    rows = [
        (
            each["vendor"],
            each["pilot"],
            each.get("build", ""),
            each["stage"],
            str(each["step"]),
            moment(each["stepAt"]),
            *_beside(each),
            each.get("reason", ""),
        )
        for each in facts["canaries"]
    ]
    return Answer(facts, (table(heads, rows) if rows else line("No next build was ever on trial."),))


def stop(
    at: FleetAddress,
    vendor: Annotated[str, typer.Argument(help="The vendor whose next build is on trial.")],
    tenant: Tenant,
    by: By,
) -> Answer:
    """End a trial: from now on the present build works on every key."""
    facts = tenant_admin(at, tenant, by).ask(f"{ROUTE}/stop", {"vendor": vendor})
    return _said(facts, "The present build works on every key.")


def _beside(each: Json) -> tuple[str, ...]:
    """Show each figure, and behind it that of the week before."""
    now, before = each["figures"], each.get("before") or {}
    return tuple(f"{_shown(now.get(name))} ({_shown(before.get(name))})" for name, _ in FIGURES)


def _shown(figure: Any) -> str:
    return "-" if figure is None else f"{figure:g}"


def _said(facts: Json, next_: str) -> Answer:
    name = f"{facts['vendor']} at {facts['pilot']}"
    return Answer(
        facts, (line(plain(name, "bold"), f": {facts['stage']}, step {facts['step']}."), line(next_))
    )


for _name, _command in (("begin", begin), ("list", list_canaries), ("stop", stop)):
    canary.command(_name)(at_a_place(_command))
