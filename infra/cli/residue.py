"""`keyfleet residue`: what locks would not let go of, until somebody saw that it opens no more."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from functions.backoffice.console_reasons import in_words
from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, table
from infra.cli.control import ControlPlane
from infra.cli.problems import not_found
from infra.cli.wall import both

Json = Mapping[str, Any]
FUNCTION: Final = "close-residue"
FINDING: Final = "fnd_"
CLOSE: Final = "keyfleet residue close GRANT --by USER"
HEADS: Final = (
    "grant",
    "lock",
    "in the app",
    "may open until",
    "because",
    "since",
    "next try",
    "key",
    "tenant",
)
Grant = Annotated[str, typer.Argument(help="What is left, as residue list shows it, such as grt_….")]
By = Annotated[str, typer.Option(help="Who was at the door and saw that it opens no more, such as usr_7.")]
Tenant = Annotated[str | None, typer.Option(help="Only those of this tenant, such as tnt_silk.")]
Whose = Annotated[str | None, typer.Option(help="Whose it is, such as tnt_silk; else it is looked for.")]


def list_residues(at: FleetAddress, tenant: Tenant = None) -> Answer:
    """List what should be gone and may still open a lock, until when, and why it stayed."""
    found = residues(at, tenant)
    if not found:
        return Answer({"residues": found}, (line("Nothing is left anywhere."),))
    ways = (
        line(f"To ask a lock again now: keyfleet ask-again GRANT{at.flags}"),
        line(f"Once somebody saw at the door that it opens no more: {CLOSE}{at.flags}"),
    )
    return Answer({"residues": found}, (table(HEADS, map(_row, found)), *ways, *_strange(at, found)))


def _strange(at: FleetAddress, found: Sequence[Json]) -> Iterator[Text]:
    """Say what is done about keys that are nobody's: no grant stands behind them."""
    if any(each["grant"].startswith(FINDING) for each in found):
        yield line(f"About each that begins with {FINDING}: keyfleet finding list{at.flags}")


def close(at: FleetAddress, grant: Grant, by: By, tenant: Whose = None) -> Answer:
    """Note that somebody was at the door: what is left there opens it no more."""
    residue = next((each for each in residues(at, tenant) if each["grant"] == grant), None)
    if residue is None:
        raise not_found("residue", [grant], "name one that keyfleet residue list shows")
    asked = {"tenant": residue["tenant"], "grant": grant, "by": by}
    facts = ControlPlane(at).call(FUNCTION, asked)
    return Answer(facts, (line(f"{grant} at {residue['label'] or residue['device']} is closed, by {by}."),))


def residues(at: FleetAddress, tenant: str | None) -> Sequence[Json]:
    """Return what is left at locks, and whose it is, whether a saga still tries or not."""
    found: Sequence[Json] = ControlPlane(at).get("residues", tenant=tenant)["residues"]
    return found


def _row(residue: Json) -> tuple[Any, ...]:
    until, tried = residue["exposure_until"], residue["next_try"]
    return (
        residue["grant"],
        residue["label"] or residue["device"],
        residue["vendor_name"],
        both(until, residue.get("zone")) if until else "it is removed",
        in_words(residue["cause"] or ""),
        both(residue["since"], residue.get("zone")),
        both(tried, residue.get("zone")) if tried else "when somebody asks",
        residue["key"],
        residue["tenant"],
    )
