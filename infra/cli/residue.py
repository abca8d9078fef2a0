"""`keyfleet residue`: what locks would not let go of, until somebody saw that it opens no more."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, moment, table
from infra.cli.control import ControlPlane
from infra.cli.problems import not_found

Json = Mapping[str, Any]
FUNCTION: Final = "close-residue"
CLOSE: Final = "keyfleet residue close GRANT --by USER"
MOST: Final = 1000
HEADS: Final = ("grant", "lock", "in the app", "may open until (UTC)", "because", "key", "tenant")
Grant = Annotated[str, typer.Argument(help="What is left, as residue list shows it, such as grt_….")]
By = Annotated[str, typer.Option(help="Who was at the door and saw that it opens no more, such as usr_7.")]
Tenant = Annotated[str | None, typer.Option(help="Only those of this tenant, such as tnt_silk.")]
Whose = Annotated[str | None, typer.Option(help="Whose it is, such as tnt_silk; else it is looked for.")]


def list_residues(at: FleetAddress, tenant: Tenant = None) -> Answer:
    """List what should be gone and may still open a lock, until when, and why it stayed."""
    found = list(residues(at, tenant))
    if not found:
        return Answer({"residues": found}, (line("Nothing is left anywhere."),))
    ways = (
        line(f"To ask a lock again now: keyfleet ask-again GRANT{at.flags}"),
        line(f"Once somebody saw at the door that it opens no more: {CLOSE}{at.flags}"),
    )
    return Answer({"residues": found}, (table(HEADS, map(_row, found)), *ways))


def close(at: FleetAddress, grant: Grant, by: By, tenant: Whose = None) -> Answer:
    """Note that somebody was at the door: what is left there opens it no more."""
    residue = next((each for each in residues(at, tenant) if each["grant"] == grant), None)
    if residue is None:
        raise not_found("residue", [grant], "name one that keyfleet residue list shows")
    asked = {"tenant": residue["tenant"], "grant": grant, "by": by}
    facts = ControlPlane(at).call(FUNCTION, asked)
    return Answer(facts, (line(f"{grant} at {residue['label'] or residue['device']} is closed, by {by}."),))


def residues(at: FleetAddress, tenant: str | None) -> Iterator[Json]:
    """Go through what is left at locks, and whose it is."""
    return (_residue(key, grant) for key, grant in left(at, tenant))


def left(at: FleetAddress, tenant: str | None) -> Iterator[tuple[Json, Json]]:
    """Go through the keys that left something at locks, each with its grant there."""
    asked = {"state": "residual", "tenant": tenant, "limit": MOST}
    for key in ControlPlane(at).get("credentials", **asked)["credentials"]:
        for grant in key["grants"]:
            if grant["state"] == "residual":
                yield key, grant


def _residue(key: Json, grant: Json) -> Json:
    return {
        "grant": grant["id"],
        "tenant": key["tenant"],
        "property": key["property"],
        "key": key["id"],
        "device": grant["device"],
        "label": grant["label"],
        "vendor_name": grant["vendor_name"],
        "cause": grant["detail"],
        "exposure_until": grant["exposure_until"],
    }


def _row(residue: Json) -> tuple[Any, ...]:
    until = residue["exposure_until"]
    return (
        residue["grant"],
        residue["label"] or residue["device"],
        residue["vendor_name"],
        moment(until) if until else "it is removed",
        (residue["cause"] or "").replace("_", " "),
        residue["key"],
        residue["tenant"],
    )
