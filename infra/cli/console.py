"""`keyfleet console`: the operations console in a browser, opened by a code that is good once."""

import webbrowser
from typing import Annotated

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.person import asked_by
from infra.cli.token import EVERY_PROPERTY, Properties, Roles, Tenant, User, minted
from shared.domain.permissions import Role

CODES = "POST backoffice/bff/v1/console-codes"
Browse = Annotated[bool, typer.Option(help="Open the browser; without, only print the address.")]


def console(
    at: FleetAddress,
    tenant: Tenant,
    role: Roles = [Role.GM],  # noqa: B006 - typer reads it, and nobody changes it
    property_: Properties = [EVERY_PROPERTY],  # noqa: B006 - the same
    user: User = "usr_local",
    browser: Browse = True,
) -> Answer:
    """Open the console in a browser, as the person who is named; the code in its address is good once."""
    token = minted(at, tenant, user, role, property_)
    made = asked_by(at, token, CODES, {}, tenant)
    address = f"{at.base_url}/{made['path']}"
    opened = browser and webbrowser.open(address)
    facts = {"address": address, "ends_at": made["endsAt"], "opened": opened, "user": user}
    said = "The console is open in your browser" if opened else "The console, until its code is spent"
    return Answer(facts, (line(plain(said, "bold"), ": "), plain(address)))
