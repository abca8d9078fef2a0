"""`keyfleet key`: one key is ended, replaced by another, or copied, on a person's word."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.problems import not_found

Json = Mapping[str, Any]
END, REPLACE, COPY = "end-key", "replace-key", "copy-key"
LOST: Final = "lost"
Key = Annotated[str, typer.Argument(help="The key, as credentials shows it, such as key_….")]
By = Annotated[str, typer.Option(help="Who orders it, such as usr_7.")]
Reason = Annotated[str, typer.Option(help="Why: lost, or security.")]
Kind = Annotated[str | None, typer.Option(help="Of another kind than the old one, such as rfid_card.")]
Copies = Annotated[int, typer.Option(help="How many copies there are to be, in all.")]
Tenant = Annotated[str | None, typer.Option(help="Whose it is, such as tnt_silk; else it is looked for.")]


def end(at: FleetAddress, key: Key, by: By, reason: Reason = LOST, tenant: Tenant = None) -> Answer:
    """End one key at once: its stay goes on without it, and its locks follow."""
    facts = _ordered(at, END, key, {"by": by, "reason": reason}, tenant)
    see = line(f"See its locks let go of it: keyfleet timeline {facts['key']}{at.flags}")
    return Answer(facts, (line(plain(facts["key"], "bold"), f" is {facts['state']}, by {by}."), see))


def replace(
    at: FleetAddress, key: Key, by: By, reason: Reason = LOST, kind: Kind = None, tenant: Tenant = None
) -> Answer:
    """End one key, and make another for the same stay with a secret of its own."""
    facts = _ordered(at, REPLACE, key, {"by": by, "reason": reason, **_of(kind)}, tenant)
    said = line(plain(facts["key"], "bold"), " is replaced by ", plain(facts["replacedBy"], "bold"), ".")
    see = line(f"See it made: keyfleet timeline {facts['replacedBy']}{at.flags}")
    return Answer(facts, (said, see))


def copy(
    at: FleetAddress, key: Key, by: By, copies: Copies = 1, kind: Kind = None, tenant: Tenant = None
) -> Answer:
    """Make copies of a key for a party: each opens what the key opens, with a secret of its own."""
    facts = _ordered(at, COPY, key, {"by": by, "copies": copies, **_of(kind)}, tenant)
    told = (line("    ", plain(each, "bold")) for each in facts["copies"])
    return Answer(facts, (line(plain(facts["key"], "bold"), " has these copies:"), *told))


def _of(kind: str | None) -> Json:
    return {} if kind is None else {"kind": kind}


def _ordered(at: FleetAddress, function: str, key: str, why: Json, tenant: str | None) -> Json:
    control = ControlPlane(at)
    found = control.get("credentials", key=key, tenant=tenant, limit=1)["credentials"]
    if not found:
        raise not_found("key", [key], f"name one that keyfleet credentials{at.flags} shows")
    return control.call(function, {"tenant": found[0]["tenant"], "key": found[0]["id"], **why})
